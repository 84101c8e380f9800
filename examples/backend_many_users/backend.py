"""A web backend that keeps the memories of its users apart, with one service token for all of them.

The token has the scope memory:delegate. For each request the backend, which has signed its user in, says whom it acts
for; M4A keeps both names in its audit. With the local server, a file for --tokens holds such a token:

    {"service-token": {"user": "backend", "scope": "memory:delegate"}}
"""

import os
import sys
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from m4a.client import AsyncClient, InvalidInput, M4AError, TooLarge

SignIn = Callable[[Request], str | None]
"""Who sent a request, as this backend's own sign-in knows it; None for nobody."""


def make_app(memory: AsyncClient, sign_in: SignIn) -> Starlette:
    """``POST /notes`` keeps a statement of the signed-in user, ``GET /notes?about=`` finds some again."""

    def of_user(request: Request) -> AsyncClient:
        user = sign_in(request)
        if user is None:
            raise HTTPException(401)
        return memory.acting_for(user)

    async def keep(request: Request) -> Response:
        memory = of_user(request)
        try:
            text = (await request.json())["text"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise HTTPException(400, "A JSON object with the member text is needed.") from None
        kept = await memory.remember(text)
        return JSONResponse({"id": kept.memory_id, "new": kept.created})

    async def find(request: Request) -> Response:
        memory, about = of_user(request), request.query_params.get("about")
        if about is None:
            raise HTTPException(400, "The parameter about is needed.")
        found = await memory.recall(about)
        return JSONResponse({"notes": [one.content for one in found.memories], "complete": not found.degraded})

    async def refuse(_request: Request, error: Exception) -> Response:
        assert isinstance(error, M4AError)
        status = 400 if isinstance(error, InvalidInput | TooLarge) else 502
        return JSONResponse({"error": error.code, "message": error.message}, status)

    routes = [Route("/notes", keep, methods=["POST"]), Route("/notes", find, methods=["GET"])]
    return Starlette(routes=routes, exception_handlers={M4AError: refuse})


def demo_sign_in(request: Request) -> str | None:
    """Stands in for your own sessions or tokens. It believes what it is told: for this demonstration alone."""
    return request.headers.get("x-demo-user") or None


def main() -> None:
    token = os.environ.get("M4A_TOKEN")
    if token is None:
        sys.exit("Set M4A_TOKEN to a token that has the scope memory:delegate.")
    memory = AsyncClient(os.environ.get("M4A_URL", "http://127.0.0.1:8765"), token)
    uvicorn.run(make_app(memory, demo_sign_in), port=8001)


if __name__ == "__main__":
    main()
