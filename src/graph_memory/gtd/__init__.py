"""Getting Things Done: lists of projects and actions in a domain that has the types of `ontologies/gtd.yaml`.

gtd = Gtd(memory)
await gtd.available_actions(contexts=["phone"], minutes=30)
"""

from graph_memory.gtd.layer import Gtd
from graph_memory.gtd.results import (
    Action,
    AvailableActions,
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
    "AvailableActions",
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
