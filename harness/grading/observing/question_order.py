"""The order of questions in a shared process, in which no question shows a later answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.model.observation import Observation
from harness.model.stimulus import Stimulus

_MIN_LENGTH = 8  # characters; shorter texts occur in many others by chance
_SPELLING = str.maketrans("", "", "'\" \n\t\\")  # what a spelling may leave out or put in


@dataclass(slots=True)
class QuestionOrder:
    """The numbers of stimuli by when they may be asked in one process."""

    # Another's question shows their answers: they are asked before it, in this order.
    first: list[int] = field(default_factory=list)
    # They may be asked afterwards, in any order.
    then: list[int] = field(default_factory=list)


def order_of(asked: Mapping[int, tuple[Stimulus, Observation]]) -> QuestionOrder:
    """Order stimuli, each with what the reference answers.

    What an earlier question shows is left out: a program that remembers what it was asked would
    have the answer from there, in whatever way it remembers.
    """
    questions: dict[int, str] = {}
    for number, (stimulus, _) in asked.items():
        questions[number] = _question(stimulus)
    all_questions = "\0".join(questions.values())
    order = QuestionOrder()
    earlier = ""
    for number, (_, reference) in asked.items():
        question = questions[number]
        answers = [answer for answer in _answers(reference) if len(answer) >= _MIN_LENGTH]
        if not any(all_questions.count(answer) > question.count(answer) for answer in answers):
            order.then.append(number)
        elif not any(answer in earlier for answer in answers):
            order.first.append(number)
            earlier += "\0" + question
    return order


def _question(stimulus: Stimulus) -> str:
    action = stimulus.action
    texts = [*(action.argv if action.program else stimulus.source_texts())]
    texts += [binding.literal for binding in stimulus.bindings]
    texts += [constant.literal for constant in stimulus.constants]
    texts += [typed.text for typed in stimulus.inputs]
    return "\0".join(texts).translate(_SPELLING)


def _answers(observation: Observation) -> set[str]:
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
    return {text.translate(_SPELLING) for text in texts}
