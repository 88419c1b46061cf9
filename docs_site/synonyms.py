"""Words that people type into the search for a page that calls its subject by another name. They
stand at the end of the page, so that the search finds it."""

SYNONYMS = {
    "how-to/find-copies.md": "plagiarism, cheating, collusion, copied code, MOSS, similarity",
    "how-to/explain-a-mark.md": "regrade request, appeal, complaint, dispute, why did I lose marks",
    "how-to/give-an-extension.md": "extra time, special consideration, deadline, due date",
    "how-to/grade-late-work.md": "late penalty, lateness, late days, slip days, deadline, overdue",
    "how-to/hide-a-check.md": "hidden test, hidden tests, private test, visibility, secret test",
    "how-to/accept-any-wording.md": (
        "ignore case, ignore whitespace, fuzzy matching, tolerance, regular expression, regex"
    ),
    "how-to/mark-style-by-hand.md": (
        "rubric, rubrics, override, manual grading, human marking, annotate, comments on lines, "
        "shortcuts, "
        "keyboard shortcuts, override a mark, change a grade, tutors, graders"
    ),
    "how-to/fix-a-scenario.md": "regrade, grade again, rerun, wrong test, test was wrong",
    "how-to/excuse-a-student.md": "excused, exempt, exemption, drop a test, waive, void a test",
    "how-to/fill-in-a-gradebook.md": (
        "export grades, upload grades, import, spreadsheet, CSV, LMS, points, scores"
    ),
    "how-to/send-feedback.md": "mail merge, e-mail, notify students, return feedback",
    "how-to/add-up-a-term.md": "semester, final grade, total of all assignments, course page",
    "how-to/grade-a-download.md": (
        "bulk download, upload submissions, zip, roster, class list, LMS, autograder, autograde, "
        "groups, group work, teams, pairs, partners, resubmission, resubmit, several attempts"
    ),
    "how-to/grade-as-they-arrive.md": "watch, continuous, automatic grading, cron, systemd",
    "how-to/grade-notebooks.md": "Jupyter, ipynb, Colab, nbgrader, cells, magics, JupyterLab",
    "how-to/port-a-notebook.md": "nbgrader, otter, Jupyter, migrate, convert a notebook",
    "how-to/hand-out-tests.md": "public tests, visible tests, example tests",
    "how-to/hand-out-the-self-check.md": "starter code, skeleton, template, public tests, handout",
    "how-to/check-in-the-browser.md": "web page, online, Pyodide, no installation, Chromebook",
    "how-to/run-on-a-cluster.md": "parallel, dask, many machines, large class, scale, speed",
    "how-to/port-your-tests.md": (
        "unit test, unit tests, pytest, unittest, doctest, migrate, check50, otter, test suite"
    ),
    "how-to/turn-tests-into-scenarios.md": "record tests, convert tests, migrate, rewrite tests",
    "how-to/grade-tests.md": "student tests, mutation testing, mutants, test-driven, coverage",
    "reference/students-tests.md": "branch coverage, statement coverage, doctest of students",
    "how-to/delete-a-student.md": "GDPR, privacy, erase, remove, forget",
    "explanation/how-marks-are-made.md": (
        "grade calculation, points, partial credit, score, rounding, weights"
    ),
    "explanation/security.md": "sandbox, isolation, malicious code, container",
    "reference/confinement.md": "sandbox, bubblewrap, seccomp, Landlock, container, tier",
    "installing.md": "set up, setup, requirements, pip, pipx, Docker image, interpreter",
    "reference/report-files.md": "output files, results, exit code, exit status, states",
    "causes.md": "feedback, explanation, why a test failed, root cause, hints",
    "writing-scenarios.md": (
        "test cases, write tests, assertions, expected output, input, stdin, random seed, "
        "randomness, timeout, time limit, infinite loop"
    ),
    "writing-an-assignment.md": "create an assignment, new assignment, exercise, tutorial",
    "ci-workflow.md": "GitHub Actions, continuous integration, pipeline",
    "student-data.md": "GDPR, privacy, personal data, FERPA, data protection",
}

# Searches that must find this page first although the words are in the title of another. The search
# weighs these tags above titles and shows them beside the result.
FIRST_FOR = {
    "installing.md": ["install", "Docker", "Python version", "versions of Python"],
    "how-to/hide-a-check.md": ["hidden test"],
    "how-to/mark-style-by-hand.md": ["rubric"],
    "how-to/grade-a-download.md": ["groups", "roster", "grade"],
    "how-to/grade-on-gradescope.md": ["gradescope"],
    "how-to/fill-in-a-gradebook.md": ["export", "CSV"],
    "how-to/find-copies.md": ["similarity"],
    "how-to/excuse-a-student.md": ["excused"],
    "how-to/port-your-tests.md": ["unit test"],
    "explanation/how-marks-are-made.md": ["partial credit", "points"],
    "explanation/security.md": ["sandbox"],
    "writing-an-assignment.md": ["new assignment"],
    "writing-scenarios.md": ["timeout", "random seed", "test case", "infinite loop"],
}
