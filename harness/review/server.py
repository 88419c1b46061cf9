"""The server of the review page. It accepts only connections from this machine and only people
with the token.

It sends a page without data, and JSON to requests that show the token.
"""

import hmac
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException

from harness.common.errors import HarnessError, UserError
from harness.common.escaping import encoded
from harness.model.result import DecisionKind, SubmissionResult, SubmissionStatus
from harness.reporting.holding import OF_EVERYBODY, hold_back
from harness.reporting.html import environment
from harness.reporting.html.study_pages import read_style
from harness.reporting.html.submission_pages import feedback_page, lecturers_view
from harness.reporting.view.shown_causes import Card
from harness.results import regrade_request
from harness.results.student_view import student_view
from harness.review.actions import UnknownStudentError
from harness.review.connections import BoundedServer
from harness.review.desk import Desk

HOST = "127.0.0.1"
# The limit of a request. It is far above that of a comment, so a long comment gets its own error.
MAX_BYTES = 4 * 1024 * 1024
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page's own has the rest
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedThing:
    """A scenario or function that a regrade request names.

    `cause` is the number of the thing to fix that it belongs to; 0 for none.
    """

    name: str
    cause: int = 0
    passes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedScreen:
    """A regrade request and the number of its submission."""

    number: int
    request: regrade_request.RegradeRequest

    def about(self, result: SubmissionResult, cards: Sequence[Card]) -> list[AskedThing]:
        """Return the named scenarios and functions, with the numbers of these cards."""
        passed = {outcome.scenario_id for outcome in result.scenarios if outcome.verdict.passed}
        numbers = _card_numbers(cards)
        named: list[AskedThing] = []
        for name in self.request.about:
            about = AskedThing(name=name, cause=numbers.get(name, 0), passes=name in passed)
            named.append(about)
        return named

    def first_line(self, desk: Desk) -> int:
        """Return the line (from 1, in the whole source) of the first requested thing to fix; 0 if
        it has none.
        """
        result = desk.result(self.number)
        view = lecturers_view(result, desk.plan)
        cards: Sequence[Card] = view["cards"]
        starts: dict[str, int] = {}
        lines = 0
        for file in view["files"]:
            starts[file.name] = lines
            lines += len(file.lines)
        for about in self.about(result, cards):
            if not about.cause:
                continue
            cause = cards[about.cause - 1].cause
            if cause.place is not None and cause.place.file in starts:
                return starts[cause.place.file] + (cause.line or cause.place.first)
        return 0


def _card_numbers(cards: Sequence[Card]) -> dict[str, int]:
    """Return the number of the first card of each function and scenario."""
    numbers: dict[str, int] = {}
    for card in cards:
        for cause in card.causes:
            numbers.setdefault(cause.function, card.number)
            for check in cause.checks:
                numbers.setdefault(check.id, card.number)
    return numbers


def read_asked(path: Path, desk: Desk) -> AskedScreen:
    """Read a regrade request from a file. Raise UserError if it does not belong to this run."""
    try:
        with path.open("rb") as file:
            request = regrade_request.read_request(file.read(regrade_request.MAX_BYTES + 1))
        numbers = desk.numbers()
        number = numbers[regrade_request.submission_of(request, desk.plan, numbers)]
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except UserError as error:
        raise UserError(error.what, place=str(path), hint=error.hint) from None
    return AskedScreen(number=number, request=request)


class ReviewServer:
    """Serves the review page on a port of this machine.

    People open `address`; browsers never send the part after #.
    """

    def __init__(
        self,
        desk: Desk,
        folder: Path,
        port: int = 0,
        *,
        asked: AskedScreen | None = None,
        begin: int = 0,
    ) -> None:
        """Listen on `port` (0: a free one).

        `folder` is the report folder, for evidence about style. The page starts at the line that
        was `asked` about, or at the submission with the number `begin`. Raise UserError if the port
        is in use.
        """
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        app = create_app(desk, folder, self.token, asked)
        try:
            listening = socket.create_server((HOST, port))
        except OSError:
            what = f"port {port} of this machine is in use"
            raise UserError(what, hint="choose another with --port") from None
        self._server = BoundedServer(app, listening, self.token, max_bytes=2 * MAX_BYTES)
        self.port = app.config["PORT"] = listening.getsockname()[1]
        self.address = f"http://{HOST}:{self.port}/#token={self.token}"
        if asked is not None:
            self.address += f"&at={asked.number}:{asked.first_line(desk)}"
        elif begin:
            self.address += f"&at={begin}"

    def serve(self) -> None:
        """Answer until `stop`, or until Ctrl-C."""
        self._server.run()

    def stop(self) -> None:
        """Make `serve` return. Called from another thread."""
        self._server.stop()

    def close(self) -> None:
        self._server.close_all()


def create_app(desk: Desk, folder: Path, token: str, asked: AskedScreen | None = None) -> Flask:
    """Return the Flask application that serves `http://127.0.0.1:PORT`.

    Its configuration must contain the PORT.
    """
    app = Flask("harness.review", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BYTES
    tickets: dict[str, int] = {}  # of previews: a browser opens a page without the token
    screen = partial(_screen, desk, read_style(folder), asked)
    _guard(app, token, tickets)
    _errors(app)
    _reading_routes(app, desk, screen)
    _changing_routes(app, desk, screen)
    _preview_routes(app, desk, tickets)
    return app


def _guard(app: Flask, token: str, tickets: Mapping[str, int]) -> None:
    """Refuse requests that do not come from this page or do not show the token."""

    @app.before_request
    def guard() -> None:
        host = f"{HOST}:{app.config['PORT']}"
        if request.headers.get("Host") != host:
            abort(403, "this server has another name")
        if not _is_from(f"http://{host}"):
            abort(403, "other pages cannot use this server")
        shown = request.headers.get("X-Token", "")
        is_shell = request.path == "/" and request.method in ("GET", "HEAD")
        ticket = request.path.removeprefix("/preview/")
        is_preview = request.method == "GET" and ticket in tickets
        if is_shell or is_preview:
            return
        if not hmac.compare_digest(encoded(shown), encoded(token)):
            abort(403, "open the address that harness review printed")

    @app.after_request
    def protected(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response


def _is_from(address: str) -> bool:
    """Return whether the request came from the page at this address, or was typed into the
    browser.
    """
    if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        return False
    origin = request.headers.get("Origin")
    if origin is None:
        return request.method != "POST"
    return origin == address


Screen = Callable[[int], dict[str, Any]]


def _reading_routes(app: Flask, desk: Desk, screen: Screen) -> None:
    """Add the routes that display the run."""
    script = environment.script("tools.js", "drafts.js", "offers.js", "review.js")

    @app.get("/")
    def shell() -> Response:
        page = environment.render("review.html.j2", connects=True, **script)
        return Response(page, content_type="text/html; charset=utf-8")

    @app.get("/submission/<int:number>")
    def submission(number: int) -> Response:
        return jsonify(screen(number))

    @app.get("/since/<int:made>/<int:last>")
    def since(made: int, last: int) -> Response:
        desk.refresh()
        # These numbers are read before the rows: a change that comes between is told twice, and
        # never missed.
        now = desk.readings
        newest = desk.newest_change
        if made != now:
            last = -1  # all rows
        rows = desk.rows(last)
        answer: dict[str, object] = {"made": now, "last": newest, "rows": rows}
        if rows:
            answer["offered"] = desk.offered()
        return jsonify(answer)


def _changing_routes(app: Flask, desk: Desk, screen: Screen) -> None:
    """Add the routes that store changes."""

    @app.post("/do")
    def do() -> Response:
        fields = _fields()
        number = fields.get("number")
        if type(number) is not int:
            raise UserError(_NOT_OURS)
        stored = desk.do(number, fields)
        answer = screen(number)
        answer["change"] = stored.change
        answer["replaced"] = stored.replaced
        answer["offered"] = desk.offered()
        return jsonify(answer)

    @app.post("/undo")
    def undo() -> Response:
        wanted = _fields().get("change", "")
        if not isinstance(wanted, str):
            raise UserError(_NOT_OURS)
        number, said = desk.undo(wanted)
        return jsonify(number=number, said=said)

    @app.post("/redo")
    def redo() -> Response:
        number, said = desk.redo()
        return jsonify(number=number, said=said)


# Previews that were asked for and not opened yet, by several windows.
_MAX_TICKETS = 20


def _preview_routes(app: Flask, desk: Desk, tickets: dict[str, int]) -> None:
    """Add the routes that show a student's page; each preview needs its own one-time ticket."""

    @app.post("/preview/<int:number>")
    def preview(number: int) -> Response:
        desk.result(number)  # raises if there is none
        ticket = secrets.token_urlsafe(32)
        tickets[ticket] = number
        for old in list(tickets)[:-_MAX_TICKETS]:
            tickets.pop(old, None)
        return jsonify(path=f"/preview/{ticket}")

    @app.get("/preview/<ticket>")
    def previewed(ticket: str) -> Response:
        # The guard has let it through, because the ticket was known. Another request may have used
        # it since.
        number = tickets.pop(ticket, None)
        if number is None:
            abort(403, "a preview can be opened only once")
        result = desk.result(number)
        page = feedback_page(student_view(result, desk.plan))
        return Response(page, content_type="text/html; charset=utf-8")


_NOT_OURS = "this is not a request of the page"


def _fields() -> dict[str, Any]:
    """Return the JSON object that was sent. Raise UserError if it is anything else."""
    fields = request.get_json()
    if not isinstance(fields, dict):
        raise UserError(_NOT_OURS)
    return fields


def _errors(app: Flask) -> None:
    @app.errorhandler(UserError)
    @app.errorhandler(HarnessError)
    def wrong(error: Exception) -> tuple[Response, int]:
        answer: dict[str, object] = {"error": str(error)}
        if isinstance(error, UnknownStudentError):
            answer["unknown"] = True  # the page offers to add the student
        return jsonify(answer), 400

    @app.errorhandler(RecursionError)
    def nested(error: RecursionError) -> tuple[Response, int]:
        return jsonify(error=_NOT_OURS), 400

    @app.errorhandler(HTTPException)
    def other(error: HTTPException) -> tuple[Response, int]:
        status = error.code or 400
        text = error.name.lower()
        if status == 403:
            text = str(error.description)
        if status == 413:
            text = "the request is too long"
        return jsonify(error=text), status


def _screen(desk: Desk, styles: Any, asked: AskedScreen | None, number: int) -> dict[str, Any]:
    """Return a submission's screen as HTML, with its number and its list row.

    If it cannot be displayed, the screen shows it as held for review.
    """
    result = desk.result(number)
    try:
        return _screen_of(result, desk, styles, asked, number)
    except OF_EVERYBODY:
        raise
    except Exception as error:
        instead = hold_back(result, "its screen", error)
        return _screen_of(instead, desk, styles, asked, number)


def _same_content(result: SubmissionResult) -> dict[str, str]:
    """Return the files to choose from that have the same content as an earlier one, as {name:
    earlier name}.
    """
    first: dict[bytes, str] = {}
    same: dict[str, str] = {}
    for file in result.choices:
        if file.data in first:
            same[file.name] = first[file.data]
        elif file.data:
            first[file.data] = file.name
    return same


def _screen_of(
    result: SubmissionResult, desk: Desk, styles: Any, asked: AskedScreen | None, number: int
) -> dict[str, Any]:
    view = lecturers_view(result, desk.plan, styles.get(result.source_digest))
    rows = desk.row_of(number)
    picked: dict[str, dict[str, str]] = {}  # by the ids of slots: the levels by the ids of items
    for part in result.manual:
        picked[part.slot.id] = {item.item: item.level for item in part.items}
    html = environment.render(
        "review_submission.html.j2",
        **view,
        **_request(result, desk, asked, number, view["cards"]),
        **_decisions(result),
        picked=picked,
        people=desk.people(),
        item_counts=desk.item_counts(),
        authors=desk.comment_authors(number),
        alike=_same_content(result),
        done=rows[0]["done"],
        again=desk.command_again(),
        anonymous=desk.anonymous,
    )
    return {"number": number, "html": html, "rows": rows}


def _request(
    result: SubmissionResult,
    desk: Desk,
    asked: AskedScreen | None,
    number: int,
    cards: Sequence[Card],
) -> dict[str, object]:
    """Return the regrade request for this submission, and the cards to open for it."""
    if asked is None or asked.number != number:
        return {"asked": None, "about": (), "remarks": (), "opened": frozenset()}
    about = asked.about(result, cards)
    return {
        "asked": asked.request,
        "about": about,
        "remarks": regrade_request.remarks(asked.request, desk.plan, result),
        "opened": {card.cause for card in about},
    }


def _decisions(result: SubmissionResult) -> dict[str, object]:
    """Return the decisions made about a submission, and whether it still needs some."""
    made = {decision.kind: decision.value for decision in result.decisions}
    waits = result.status in (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.NO_SUBMISSION)
    return {
        "held": waits or bool(result.choices) or bool(made),
        "decided": {kind.value: made.get(kind, "") for kind in DecisionKind},
    }
