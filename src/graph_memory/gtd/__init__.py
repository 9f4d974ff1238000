"""Getting Things Done on top of a memory: the questions of `ontologies/gtd.yaml`, asked with the primitives alone.

gtd = Gtd(memory)
await gtd.available_actions(contexts=["phone"], minutes=30)
"""

from graph_memory.gtd.layer import Gtd
from graph_memory.gtd.results import (
    Action,
    Available,
    Item,
    NextActions,
    ProjectActions,
    Ref,
    Review,
    StuckProject,
    StuckProjects,
    Waiting,
    WaitingFor,
)

__all__ = [
    "Action",
    "Available",
    "Gtd",
    "Item",
    "NextActions",
    "ProjectActions",
    "Ref",
    "Review",
    "StuckProject",
    "StuckProjects",
    "Waiting",
    "WaitingFor",
]
