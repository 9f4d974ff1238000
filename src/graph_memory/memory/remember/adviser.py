"""The language model that `remember` asks, if one is set: before the write, within its time, and never needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from graph_memory.chat import ChatModel, ModelUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.remember.advice import settling, splitting
from graph_memory.memory.remember.advice.replies import Unusable
from graph_memory.memory.remember.advice.settling import Pair, Settling
from graph_memory.memory.remember.advice.splitting import Said

R = TypeVar("R")
WITHOUT = "so it was remembered without it"


@dataclass(slots=True)
class Adviser:
    """A model, for one call; after a failure, or when its time is over, it is not asked again."""

    model: ChatModel | None
    seconds: float
    warnings: list[str] = field(default_factory=list[str])
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = anyio.current_time() + self.seconds

    @classmethod
    def of(cls, core: Core) -> Adviser:
        """Return what may be asked for a call; nothing where no model is set, or it has no time."""
        return cls(core.chat if core.advice_time > 0 else None, core.advice_time)

    @property
    def name(self) -> str | None:
        """The provider and the model, if there is one."""
        return None if self.model is None else self.model.name

    async def split(self, sentences: Sequence[str], name: str | None) -> list[Said]:
        """Return the facts of a text; none where the model gives none that could be used."""
        if self.model is None or not sentences:
            return []
        if sum(map(len, sentences)) > splitting.MOST_CHARACTERS:
            most = f"{splitting.MOST_CHARACTERS:,} characters"
            self.warnings.append(
                f"The text has more than {most}: {self.name} did not split it, and each sentence is one."
            )
            return []
        return await self._answer(
            splitting.asked(sentences, name), lambda reply, _: splitting.split(reply, sentences, name), []
        )

    async def settle(self, pairs: Sequence[Pair], name: str) -> dict[Pair, Settling]:
        """Return what the model says of doubts; those that it leaves out are asked of the caller."""
        if self.model is None or not pairs:
            return {}
        return await self._answer(
            settling.asked(pairs, name), lambda reply, model: settling.settled(reply, pairs, model), {}
        )

    async def _answer(self, pair: tuple[str, str], read: Callable[[str, str], R], nothing: R) -> R:
        """Return what is read of an answer; nothing, with a warning, where there is none that can be used."""
        model = self.model
        if model is None:
            return nothing
        with anyio.move_on_at(self.until):
            try:
                reply = await model.reply(*pair)
                return read(reply.text, model.name)
            except ModelUnavailable as error:
                self._leave(f"{error.message}, {WITHOUT}. {error.hint}")
            except Unusable as error:
                self.warnings.append(f"What {model.name} answered could not be used ({error}), {WITHOUT}.")
            return nothing
        self._leave(f"{model.name} did not answer within {self.seconds:g} s, {WITHOUT}.")
        return nothing

    def _leave(self, warning: str) -> None:
        self.warnings.append(warning)
        self.model = None
