"""Questions to a language model of a server: Ollama, OpenAI and those that speak its protocol, or Anthropic."""

from graph_memory.chat.choose import chat_model
from graph_memory.chat.model import ChatModel, ModelUnavailable, Reply

__all__ = ["ChatModel", "ModelUnavailable", "Reply", "chat_model"]
