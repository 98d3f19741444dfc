"""Chat Completions in front of any engine that yields token ids."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from unbraid import ChatStream
from unbraid.shell.chat import last_bytes
from unbraid.shell.completions import ChatAnswer, completion
from unbraid.shell.demand import Demand
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.refusals import refusal
from unbraid.shell.sse import frames
from unbraid.shell.stamps import new_stamp

Engine = Callable[[list[int], Demand], AsyncIterator[list[int]]]  # prompt, demand -> the ids of each step


def application(serving: Serving, engine: Engine, render: Callable[[Any], list[int]]) -> Starlette:
    async def chat(request: Request) -> Response:
        body = await request.json()
        planned = plan_for(serving, body)
        plan = planned.value_or(None)
        if plan is None:
            return JSONResponse(refusal(planned.failure()), 400)
        prompt, stamp = render(body), new_stamp()

        async def stream() -> AsyncIterator[bytes]:
            streams = [ChatStream(plan, "ids", prompt=prompt, choice=n, stamp=stamp) for n in range(plan.choices)]
            for answer in streams:
                async for ids in engine(prompt, plan.demand):
                    yield answer.feed_bytes(ids=ids)
                    if answer.stopped is not None:
                        break
                yield frames(answer.finish())
            yield last_bytes(streams, len(prompt))

        if plan.stream:
            return StreamingResponse(stream(), media_type="text/event-stream")
        answers = [ChatAnswer(plan, "ids", prompt=prompt, choice=n, stamp=stamp) for n in range(plan.choices)]
        for answer in answers:
            async for ids in engine(prompt, plan.demand):
                answer.feed(ids=ids)
                if answer.stopped is not None:
                    break
        return JSONResponse(completion(answers, [answer.finish() for answer in answers], len(prompt)))

    return Starlette(routes=[Route("/v1/chat/completions", chat, methods=["POST"])])
