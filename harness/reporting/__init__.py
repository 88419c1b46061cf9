"""HTML pages, terminal text and exports of results. Reads results, judges nothing."""

from typing import TYPE_CHECKING

from harness.common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from harness.reporting.html.study_pages import percent, write_similarity, write_study
    from harness.reporting.markdown import markdown_summary
    from harness.reporting.style_file import style_in_words, write_style
    from harness.reporting.terminal.cards import explain_failures
    from harness.reporting.terminal.tables import (
        explain_scenario,
        show_submission,
        summary_table,
    )
    from harness.reporting.two_runs import comparison_csv, comparison_page, comparison_table
    from harness.reporting.writing import (
        mark_unfinished,
        page_writer,
        write_index,
        write_reports,
    )

__all__ = [
    "comparison_csv",
    "comparison_page",
    "comparison_table",
    "explain_failures",
    "explain_scenario",
    "mark_unfinished",
    "markdown_summary",
    "page_writer",
    "percent",
    "show_submission",
    "style_in_words",
    "summary_table",
    "write_index",
    "write_reports",
    "write_similarity",
    "write_study",
    "write_style",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "markdown": ("markdown_summary",),
        "html.study_pages": ("percent", "write_similarity", "write_study"),
        "style_file": ("style_in_words", "write_style"),
        "terminal.cards": ("explain_failures",),
        "terminal.tables": (
            "explain_scenario",
            "show_submission",
            "summary_table",
        ),
        "two_runs": ("comparison_csv", "comparison_page", "comparison_table"),
        "writing": (
            "mark_unfinished",
            "page_writer",
            "write_index",
            "write_reports",
        ),
    },
)
