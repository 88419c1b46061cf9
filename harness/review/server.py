"""The server of the marking page, only on this machine and only for people with the token.

It sends a page without any data, and JSON to requests that show the token.
"""

import hmac
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, jsonify, request
from werkzeug.exceptions import HTTPException

from harness.common.errors import HarnessError, UserError
from harness.common.escaping import encoded
from harness.model.result import DecisionKind, SubmissionResult, SubmissionStatus
from harness.reporting.holding import OF_EVERYBODY, held
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
MOST_BYTES = 4 * 1024 * 1024  # of a request; what is longer than a comment may be is said in a line
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page's own has the rest
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A scenario or function that a request names: the number of the thing to fix that it belongs
    to, else whether it passes."""

    name: str
    cause: int = 0
    passes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request and the number of its submission."""

    number: int
    request: regrade_request.RegradeRequest

    def about(self, result: SubmissionResult, cards: Sequence[Card]) -> list[About]:
        """What it names, with the numbers of these cards."""
        passed = {each.scenario_id for each in result.scenarios if each.verdict.passed}
        numbers: dict[str, int] = {}
        for card in cards:
            for cause in card.causes:
                for name in (cause.function, *(check.id for check in cause.checks)):
                    numbers.setdefault(name, card.number)
        return [
            About(name=name, cause=numbers.get(name, 0), passes=name in passed)
            for name in self.request.about
        ]

    def first_line(self, desk: Desk) -> int:
        """The line of the whole source, from 1, of the first thing to fix that is asked about; 0:
        it has none."""
        result = desk.result(self.number)
        view = lecturers_view(result, desk.plan)
        cards: Sequence[Card] = view["cards"]
        starts, line = {}, 0
        for file in view["files"]:
            starts[file.name] = line
            line += len(file.lines)
        asked_cards = [cards[each.cause - 1] for each in self.about(result, cards) if each.cause]
        for cause in (card.cause for card in asked_cards):
            if cause.place is not None and cause.place.file in starts:
                return int(starts[cause.place.file] + (cause.line or cause.place.first))
        return 0


def read_asked(path: Path, desk: Desk) -> Asked:
    """Read the request in a file. Raise UserError, with the file's name, if it is not for this
    run."""
    try:
        with path.open("rb") as file:
            request = regrade_request.read_request(file.read(regrade_request.MAX_BYTES + 1))
        numbers = desk.numbers()
        number = numbers[regrade_request.submission_of(request, desk.plan, numbers)]
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except UserError as error:
        raise UserError(error.what, place=str(path), hint=error.hint) from None
    return Asked(number=number, request=request)


class ReviewServer:
    """A desk behind a port of this machine. `address` is what to open; its part behind the # is
    never sent."""

    def __init__(
        self,
        desk: Desk,
        folder: Path,
        port: int = 0,
        *,
        asked: Asked | None = None,
        begin: int = 0,
    ) -> None:
        """Listen on `port`. `folder` is the report's, for evidence of style; the page begins at
        what was `asked`, a submission and its line (`12:34`), or at the submission of the number
        `begin`. Raise UserError if the port is taken."""
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        app = create_app(desk, folder, self.token, asked)
        try:
            listening = socket.create_server((HOST, port))
        except OSError:
            what = f"port {port} of this machine is taken"
            raise UserError(what, hint="choose another with --port") from None
        self._server = BoundedServer(app, listening, self.token, most_bytes=2 * MOST_BYTES)
        self.port = app.config["PORT"] = listening.getsockname()[1]
        start = f"&at={begin}" if begin else ""
        if asked is not None:
            start = f"&at={asked.number}:{asked.first_line(desk)}"
        self.address = f"http://{HOST}:{self.port}/#token={self.token}{start}"

    def serve(self) -> None:
        """Answer until `stop`, or until Ctrl-C."""
        self._server.run()

    def stop(self) -> None:
        """Called in another thread: `serve` returns."""
        self._server.stop()

    def close(self) -> None:
        self._server.close_all()


def create_app(desk: Desk, folder: Path, token: str, asked: Asked | None = None) -> Flask:
    """What answers requests, for `http://127.0.0.1:PORT`, of which PORT is to be set in its
    configuration."""
    app = Flask("harness.review", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.config["TICKETS"] = {}  # of previews: a browser opens a page without the token
    _guard(app, token)
    _errors(app)
    _routes(app, desk, partial(_screen, desk, read_style(folder), asked))
    return app


def _guard(app: Flask, token: str) -> None:
    """Refuse requests that do not come from this page or do not show the token."""

    @app.before_request
    def guard() -> None:
        own = f"{HOST}:{app.config['PORT']}"
        if request.headers.get("Host") != own:
            abort(403, "this name is not this server's")
        origin = request.headers.get("Origin")
        if origin not in (None, f"http://{own}") or (origin is None and request.method == "POST"):
            abort(403, "another page may not ask here")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            abort(403, "another page may not ask here")
        shown = request.headers.get("X-Token", "")
        is_shell = request.path == "/" and request.method in ("GET", "HEAD")
        ticket = request.path.removeprefix("/preview/")
        is_previewed = request.method == "GET" and ticket in app.config["TICKETS"]
        if (
            not is_shell
            and not is_previewed
            and not hmac.compare_digest(encoded(shown), encoded(token))
        ):
            abort(403, "open the address that harness review printed")

    @app.after_request
    def protected(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response


def _routes(app: Flask, desk: Desk, screen: Callable[[int], dict[str, Any]]) -> None:
    """What the page asks for. The number of the newest change is read before what it is told with:
    a change that comes between is told twice, and never missed."""
    script = environment.script("drafts.js", "offers.js", "review.js")

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
        now, newest = desk.readings, desk.newest_change
        rows = desk.rows(last) if made == now else desk.rows()
        offered = {"offered": desk.offered()} if rows else {}
        return jsonify(made=now, last=newest, rows=rows, **offered)

    @app.post("/do")
    def do() -> Response:
        fields = request.get_json()
        if not isinstance(fields, dict) or type(fields.get("number")) is not int:
            raise UserError("this is not a request of the page")
        stored = desk.do(fields["number"], fields)
        told = {"change": stored.change, "replaced": stored.replaced, "offered": desk.offered()}
        return jsonify({**screen(fields["number"]), **told})

    @app.post("/undo")
    def undo() -> Response:
        fields = request.get_json()
        wanted = fields.get("change", "") if isinstance(fields, dict) else None
        if not isinstance(wanted, str):
            raise UserError("this is not a request of the page")
        number, said = desk.undo(wanted)
        return jsonify(number=number, said=said)

    @app.post("/redo")
    def redo() -> Response:
        number, said = desk.redo()
        return jsonify(number=number, said=said)

    tickets: dict[str, int] = app.config["TICKETS"]

    @app.post("/preview/<int:number>")
    def preview(number: int) -> Response:
        desk.result(number)  # raises if there is none
        ticket = secrets.token_urlsafe(32)
        tickets.clear()
        tickets[ticket] = number
        return jsonify(path=f"/preview/{ticket}")

    @app.get("/preview/<ticket>")
    def previewed(ticket: str) -> Response:
        # The guard has let it through, because the ticket is known; it is good for one time.
        result = desk.result(tickets.pop(ticket))
        page = feedback_page(student_view(result, desk.plan))
        return Response(page, content_type="text/html; charset=utf-8")


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
        return jsonify(error="this is not a request of the page"), 400

    @app.errorhandler(HTTPException)
    def other(error: HTTPException) -> tuple[Response, int]:
        texts = {403: str(error.description), 413: "the request is too long"}
        status = error.code or 400
        return jsonify(error=texts.get(status, error.name.lower())), status


def _screen(desk: Desk, styles: Any, asked: Asked | None, number: int) -> dict[str, Any]:
    """Return a submission's screen as HTML, and what the page knows of it besides. A submission
    that cannot be shown is shown as one that is held for review."""
    result = desk.result(number)
    try:
        return _screen_of(result, desk, styles, asked, number)
    except OF_EVERYBODY:
        raise
    except Exception as error:
        instead = held(result, "its screen", error)
        return _screen_of(instead, desk, styles, asked, number)


def _same_content(result: SubmissionResult) -> dict[str, str]:
    """Return the files to choose from that are the same as an earlier one, by their names."""
    first: dict[bytes, str] = {}
    same: dict[str, str] = {}
    for file in result.choices:
        if file.data in first:
            same[file.name] = first[file.data]
        elif file.data:
            first[file.data] = file.name
    return same


def _screen_of(
    result: SubmissionResult, desk: Desk, styles: Any, asked: Asked | None, number: int
) -> dict[str, Any]:
    kinds = {decision.kind: decision.value for decision in result.decisions}
    waits = result.status in (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.NO_SUBMISSION)
    picked = {p.slot.id: {item.item: item.level for item in p.items} for p in result.manual}
    view = lecturers_view(result, desk.plan, styles.get(result.source_digest))
    here = asked if asked is not None and asked.number == number else None
    about = here.about(result, view["cards"]) if here else []
    html = environment.render(
        "review_submission.html.j2",
        **view,
        asked=here.request if here else None,
        about=about,
        remarks=regrade_request.remarks(here.request, desk.plan, result) if here else (),
        opened={each.cause for each in about},
        held=waits or bool(result.choices) or bool(kinds),
        decided={kind.value: kinds.get(kind, "") for kind in DecisionKind},
        picked=picked,
        people=desk.people(),
        item_counts=desk.item_counts(),
        authors=desk.comment_authors(number),
        alike=_same_content(result),
        done=desk.row_of(number)[0]["done"],
        anonymous=desk.anonymous,
    )
    return {"number": number, "html": html, "rows": desk.row_of(number)}
