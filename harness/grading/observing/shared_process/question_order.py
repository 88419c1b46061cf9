"""The order of questions in a shared process, in which no question shows a later answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from harness.model.observation import Observation
from harness.model.stimulus import Stimulus

_MIN_LENGTH = 8  # characters; shorter texts occur in many others by chance
_SPELLING = str.maketrans(
    "", "", "'\" \n\t\\"
)  # characters that a spelling may leave out or put in


@dataclass(slots=True)
class QuestionOrder:
    """The numbers of stimuli by when they may be asked in one process."""

    # Another's question shows their answers: they are asked before it, in this order.
    first: list[int] = field(default_factory=list)
    # They may be asked afterwards, in any order.
    then: list[int] = field(default_factory=list)


class AskedStimulus(Protocol):
    """A stimulus with the reference's observation."""

    @property
    def stimulus(self) -> Stimulus:
        """The question."""

    @property
    def reference(self) -> Observation:
        """The answer."""


def order_of(asked: Mapping[int, AskedStimulus]) -> QuestionOrder:
    """Order stimuli, by number.

    Answers shown by an earlier question are left out: a program that remembers questions would
    have the answer from there.
    """
    questions: dict[int, str] = {}
    for number, asked_about in asked.items():
        questions[number] = _question(asked_about.stimulus)
    all_questions = "\0".join(questions.values())
    order = QuestionOrder()
    earlier = ""
    for number, asked_about in asked.items():
        question = questions[number]
        is_shown_elsewhere = is_shown_earlier = False
        for answer in _answers(asked_about.reference):
            if all_questions.count(answer) > question.count(answer):
                is_shown_elsewhere = True
            if answer in earlier:
                is_shown_earlier = True
        if not is_shown_elsewhere:
            order.then.append(number)
        elif not is_shown_earlier:
            order.first.append(number)
            earlier += "\0" + question
    return order


def _question(stimulus: Stimulus) -> str:
    action = stimulus.action
    texts: list[str] = []
    if action.program:
        texts += action.argv
    else:
        texts += stimulus.source_texts()
    for binding in (*stimulus.bindings, *stimulus.constants):
        texts.append(binding.literal)
    texts += [typed.text for typed in stimulus.inputs]
    return "\0".join(texts).translate(_SPELLING)


def _answers(observation: Observation) -> set[str]:
    """Return the texts that answer a question and are too long to occur by chance."""
    texts = ["".join(turn.printed for turn in observation.turns)]
    if observation.value is not None:
        texts.append(observation.value.source())
    if observation.arguments != observation.arguments_before:
        texts += [argument.source() for argument in observation.arguments]
    for step in observation.steps:
        texts.append(step.printed)
        if step.value is not None:
            texts.append(step.value.source())
    texts += [variable.value.source() for variable in observation.variables]
    answers: set[str] = set()
    for text in texts:
        answer = text.translate(_SPELLING)
        if len(answer) >= _MIN_LENGTH:
            answers.add(answer)
    return answers
