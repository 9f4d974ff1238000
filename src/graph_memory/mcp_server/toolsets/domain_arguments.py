"""What each tool of the toolset `domains` takes; see `arguments` for how it is read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on


class ListDomains(TypedDict):
    """Arguments of `list_domains`: none."""


class DeleteDomain(TypedDict):
    """Arguments of `delete_domain`."""

    name: Annotated[str, Field(description="Name of the domain")]
