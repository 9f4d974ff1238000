"""The allowed values of the fields in an agent's memory."""

from __future__ import annotations

from typing import Literal

Actor = Literal["user", "agent", "system"]
Outcome = Literal["success", "failure", "partial"]
ConditionType = Literal["keyword", "entity_type", "error_type", "custom"]
PatternType = Literal["solution", "workflow", "anti_pattern"]
Scope = Literal["global", "project"]
CapabilityKind = Literal["strength", "weakness", "cannot_do", "should_ask"]
CommunicationStyle = Literal["concise", "detailed", "balanced"]
ExpertiseLevel = Literal["beginner", "intermediate", "expert"]
Status = Literal["pending", "active", "blocked", "completed", "abandoned"]
