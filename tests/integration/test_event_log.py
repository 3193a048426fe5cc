import asyncio
from uuid import uuid4
from domain.events import *
from domain.settings import SessionSettings
from datetime import datetime, UTC
from infra.event_log.errors import Conflict
import pytest

def test_smoke(open_log, postgres, key_dir):
    async def main():
        async with open_log() as log:
            sid = uuid4()
            e1 = SessionOpened(facts=SessionOpenedFacts(now=datetime.now(UTC), clock="wall", settings=SessionSettings(models={"planner":"x"}), rule_version="1", prompt_hashes={"planner":"abc"}, has_key=False), content=SessionOpenedContent(question="请排查 " + "x"*700_000))
            e2 = RoundStarted(facts=RoundStartedFacts(round=1), content=RoundStartedContent())
            r = await log.append(sid, None, [e1,e2], actor="me")
            l = await log.load(sid)
            assert l == r
            r3 = await log.append(sid, l[-1], [SessionErased(content=SessionErasedContent())], actor="me")
            with pytest.raises(Conflict):
                await log.append(sid, l[-1], [SessionCancelled(content=SessionCancelledContent())], actor="me")
            with pytest.raises(Conflict):
                await log.append(sid, None, [SessionCancelled(content=SessionCancelledContent())], actor="me")
            async for x in log.follow_session(sid, 0):
                if x.version == 3: break
            p = await log.read(0, 10_000); assert p[-3:] == l + r3
            print(await log.headers(0))
            async for page in log.follow(p[-3].position):
                assert page == p[-2:]
                break
            KeyDirectory = __import__("infra.event_log.keys").event_log.keys.KeyDirectory
            KeyDirectory(key_dir).destroy(sid)
            l = await log.load(sid)
            assert all(x.event.content == ERASED for x in l)
    asyncio.run(main())
