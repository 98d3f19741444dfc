"""Chat Completions in front of any engine that yields token ids. `engine(prompt, demand)`: the ids of each step."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from attrs import evolve
from starlette import responses, routing

from unbraid.shell import chat, completions, planning, refusals, sse, stamps


def endpoint(serving: planning.Serving, engine: Callable[..., Any], render: Callable[..., list[int]]) -> routing.Route:
    async def answer(request: Any) -> responses.Response:
        planned = planning.plan_for(evolve(serving, logprobs=False), body := await request.json())
        if (plan := planned.value_or(None)) is None:
            return responses.JSONResponse(refusals.refusal(planned.failure()), 400)
        prompt, stamp = render(body), stamps.new_stamp()

        async def stream() -> AsyncIterator[bytes]:
            streams = [chat.ChatStream(plan, "ids", prompt=prompt, choice=n, stamp=stamp) for n in range(plan.choices)]
            for one in streams:
                async for ids in engine(prompt, plan.demand):
                    yield one.feed_bytes(ids=ids)
                    if one.stopped is not None:
                        break
                yield sse.frames(one.finish())
            yield chat.last_bytes(streams, len(prompt))

        if plan.stream:
            return responses.StreamingResponse(stream(), media_type="text/event-stream")
        whole = [completions.ChatAnswer(plan, "ids", prompt=prompt, choice=n, stamp=stamp) for n in range(plan.choices)]
        for one in whole:
            async for ids in engine(prompt, plan.demand):
                one.feed(ids=ids)
                if one.stopped is not None:
                    break
        return responses.JSONResponse(completions.completion(whole, [one.finish() for one in whole], len(prompt)))

    return routing.Route("/v1/chat/completions", answer, methods=["POST"])
