"""Asks the configured language model on behalf of `remember`, before the write and within a time limit.

A model is optional.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from graph_memory.chat import ChatModel, ModelUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.remember.advice import settling, splitting
from graph_memory.memory.remember.advice.replies import UnusableReply
from graph_memory.memory.remember.advice.settling import PairDecision, StatementPair
from graph_memory.memory.remember.advice.splitting import SplitFact

R = TypeVar("R")
REMEMBERED_WITHOUT_MODEL = "so the facts were stored without the model"


@dataclass(slots=True)
class Adviser:
    """The language model for one call. After a failure or a timeout, it is not asked again."""

    model: ChatModel | None
    seconds: float
    warnings: list[str] = field(default_factory=list[str])
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = anyio.current_time() + self.seconds

    @classmethod
    def of(cls, core: Core) -> Adviser:
        """Return the adviser for a call. It has no model if none is configured or its time limit is 0."""
        return cls(core.chat if core.advice_time > 0 else None, core.advice_time)

    @property
    def name(self) -> str | None:
        """The provider and the name of the model, or None if no model is configured."""
        return None if self.model is None else self.model.name

    async def split(self, sentences: Sequence[str], name: str | None) -> list[SplitFact]:
        """Return the facts in the sentences, or an empty list if there is no model or its reply is unusable."""
        if self.model is None or not sentences:
            return []
        if sum(map(len, sentences)) > splitting.MAX_CHARACTERS:
            limit = f"{splitting.MAX_CHARACTERS:,} characters"
            self.warnings.append(
                f"The text has more than {limit}, so {self.name} did not split it: each sentence became an observation."
            )
            return []
        return await self._ask(
            splitting.split_prompt(sentences, name), lambda reply, _: splitting.parse_facts(reply, sentences, name), []
        )

    async def decide_pairs(self, pairs: Sequence[StatementPair], name: str) -> dict[StatementPair, PairDecision]:
        """Return the model's decisions on pairs of statements. Undecided pairs become questions for the caller."""
        if self.model is None or not pairs:
            return {}
        return await self._ask(
            settling.decision_prompt(pairs, name),
            lambda reply, model: settling.parse_decisions(reply, pairs, model),
            {},
        )

    async def _ask(self, prompt: tuple[str, str], parse: Callable[[str, str], R], default: R) -> R:
        """Return the model's parsed reply. If there is no usable reply, add a warning and return `default`."""
        model = self.model
        if model is None:
            return default
        with anyio.move_on_at(self.deadline):
            try:
                reply = await model.reply(*prompt)
                return parse(reply.text, model.name)
            except ModelUnavailable as error:
                self._disable(f"{error.message}, {REMEMBERED_WITHOUT_MODEL}. {error.hint}")
            except UnusableReply as error:
                self.warnings.append(f"The reply of {model.name} is not usable ({error}), {REMEMBERED_WITHOUT_MODEL}.")
            return default
        self._disable(f"{model.name} did not answer within {self.seconds:g} s, {REMEMBERED_WITHOUT_MODEL}.")
        return default

    def _disable(self, warning: str) -> None:
        self.warnings.append(warning)
        self.model = None
