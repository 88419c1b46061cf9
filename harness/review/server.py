"""The page's server: on this machine alone, for whoever has the token. It sends a page without any
data, and to those who show the token what the page asks for, as JSON."""

from __future__ import annotations

import hmac
import secrets
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from harness.common.errors import HarnessError, UserError
from harness.model.result import DecisionKind, SubmissionStatus
from harness.reporting.html import environment
from harness.reporting.html.study_pages import read_style
from harness.reporting.html.submission_pages import lecturers_view
from harness.review.actions import read_action
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


class _RefusedError(Exception):
    """A request of somebody else's."""


class ReviewServer:
    """A desk behind a port of this machine. `address` is what to open; its part behind the # is
    never sent."""

    def __init__(self, desk: Desk, folder: Path, port: int = 0, at: str = "") -> None:
        """`folder` is the report's, for evidence of style; `at` is the place to begin at, `12` or
        `12:34` with a line. UserError where the port is taken."""
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        try:
            self._server = _listen(port)
        except (OSError, SystemExit):
            what = f"port {port} of this machine is taken"
            raise UserError(what, hint="choose another with --port") from None
        self.port = self._server.server_port
        self._server.app = create_app(desk, folder, self.token, self.port)
        begin = f"&at={at}" if at else ""
        self.address = f"http://{HOST}:{self.port}/#token={self.token}{begin}"

    def serve(self) -> None:
        """Answer until `stop`, or KeyboardInterrupt."""
        self._server.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        self._server.shutdown()

    def close(self) -> None:
        self._server.server_close()


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:
        """Nothing: a line a request would hide what the command says."""


def _listen(port: int) -> BaseWSGIServer:
    return make_server(HOST, port, _nothing, threaded=True, request_handler=_Quiet)


def _nothing(environ: Any, start_response: Any) -> list[bytes]:
    raise NotImplementedError


def create_app(desk: Desk, folder: Path, token: str, port: int) -> Flask:
    """What answers requests, for `http://127.0.0.1:port`."""
    app = Flask("harness.review", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    own = f"{HOST}:{port}"
    styles = read_style(folder)

    @app.before_request
    def guard() -> None:
        if request.headers.get("Host") != own:
            raise _RefusedError("this name is not this server's")
        origin = request.headers.get("Origin")
        if origin not in (None, f"http://{own}") or (origin is None and request.method == "POST"):
            raise _RefusedError("another page may not ask here")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _RefusedError("another page may not ask here")
        shown = request.headers.get("X-Token", "")
        is_shell = request.path == "/" and request.method in ("GET", "HEAD")
        if not is_shell and not hmac.compare_digest(shown.encode(), token.encode()):
            raise _RefusedError("open the address that harness review printed")

    @app.after_request
    def protected(response: Response) -> Response:
        response.headers.update(_HEADERS)
        return response

    _errors(app)

    @app.get("/")
    def shell() -> Response:
        return _shell()

    @app.get("/index")
    def index() -> Response:
        desk.refresh()
        return jsonify(
            entries=desk.entries(), offered=desk.offered(), last=desk.last, made=desk.made
        )

    @app.get("/submission/<int:number>")
    def submission(number: int) -> Response:
        return jsonify(_screen(desk, number, styles))

    @app.get("/since/<int:made>/<int:last>")
    def since(made: int, last: int) -> Response:
        desk.refresh()
        if made != desk.made:
            return jsonify(graded=True)
        rows = desk.rows(last)
        offered = {"offered": desk.offered()} if rows else {}
        return jsonify(last=desk.last, rows=rows, **offered)

    @app.post("/do")
    def do() -> Response:
        fields = request.get_json()
        if not isinstance(fields, dict) or type(fields.get("number")) is not int:
            raise UserError("this is no request of the page")
        number = fields["number"]
        action = read_action(fields, desk.slots(), desk.result(number))
        desk.do(number, action)
        return jsonify({**_screen(desk, number, styles), "offered": desk.offered()})

    @app.post("/undo")
    def undo() -> Response:
        number, said = desk.undo()
        return jsonify(number=number, said=said)

    return app


def _errors(app: Flask) -> None:
    """Each refusal as one line of JSON."""

    def answer(text: str, status: int) -> tuple[Response, int]:
        return jsonify(error=text), status

    @app.errorhandler(_RefusedError)
    def refused(error: _RefusedError) -> tuple[Response, int]:
        return answer(str(error), 403)

    @app.errorhandler(UserError)
    @app.errorhandler(HarnessError)
    def wrong(error: Exception) -> tuple[Response, int]:
        return answer(str(error), 400)

    @app.errorhandler(HTTPException)
    def other(error: HTTPException) -> tuple[Response, int]:
        text = "the request is too long" if error.code == 413 else error.name.lower()
        return answer(text, error.code or 400)


def _shell() -> Response:
    page = environment.render("review.html.j2", connects=True, **environment.script("review.js"))
    return Response(page, content_type="text/html; charset=utf-8")


def _screen(desk: Desk, number: int, styles: Any) -> dict[str, Any]:
    """A submission's screen as HTML, and what the page knows of it besides."""
    result = desk.result(number)
    kinds = {decision.kind: decision.value for decision in result.decisions}
    held = result.status in (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.NO_SUBMISSION)
    picked = {
        part.slot.id: {item.item: item.level for item in part.items} for part in result.manual
    }
    html = environment.render(
        "review_submission.html.j2",
        **lecturers_view(result, desk.plan, styles.get(result.source_digest)),
        held=held or bool(result.choices) or bool(kinds),
        decided={kind.value: kinds.get(kind, "") for kind in DecisionKind},
        picked=picked,
        absent=desk.missing(),
        anonymous=desk.anonymous,
    )
    return {"number": number, "html": html, "last": desk.last, "rows": desk.row_of(number)}
