import pytest, time
import test_state_machine as t
from test_state_machine import talk
from graph_memory.memory import core, nodes, connections, search, queries
from graph_memory.model import projection, windows
def m1(mp): mp.setattr(nodes,"check_version",lambda *a:None)
def m2(mp): mp.setattr(nodes,"check_unique",lambda *a:None)
def m3(mp): mp.setattr(nodes,"was_seen",core.was_seen.__class__ and (lambda *a: _false()))
async def _false(): return False
def m4(mp): mp.setattr(connections,"_check_rules",lambda *a:None)
def m5(mp): mp.setattr(windows,"OVERLAP",100); mp.setattr(windows,"NEEDLE",256)
def m6(mp): mp.setattr(nodes,"same_state",lambda a,b: False)
def m7(mp): mp.setattr(nodes,"same_state",lambda a,b: a==b)
def m8(mp):
    o=projection.Projection.add
    mp.setattr(projection.Projection,"add",lambda s,step,rows: None if step==projection.Step.DROP_WINDOWS else o(s,step,rows))
def m9(mp):
    o=projection.Projection.add
    mp.setattr(projection.Projection,"add",lambda s,step,rows: None if step==projection.Step.DROP_KEYS else o(s,step,rows))
def m10(mp): mp.setattr(search.Search,"_is_complete",lambda s,d: _true())
async def _true(): return True
@pytest.mark.parametrize("m",[m1,m2,m3,m4,m5,m6,m7,m8,m9,m10])
def test_mut(talk,monkeypatch,m):
    m(monkeypatch)
    try: t.test_random_operations_have_the_outcomes_of_the_model(talk)
    except BaseException as e: print(m.__name__,"CAUGHT",type(e).__name__,str(e)[:90].replace("\n"," "))
    else: print(m.__name__,"SURVIVED")
