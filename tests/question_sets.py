"""Tiny question sets in the published shapes of LongMemEval, LoCoMo, BEAM and HaluMem. All texts are invented."""

from __future__ import annotations

from typing import Any

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a green kayak at the harbour market."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look at this.", "blip_caption": "a photo of a lighthouse"},
        ],
        "session_2_date_time": "9:00 am on 9 May, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "My sister teaches the violin in Graz."}],
    },
    "qa": [
        {"question": "What did Ann buy at the market?", "answer": "a kayak", "evidence": ["D1:1"], "category": 4},
        {"question": "What does Ben's sister teach?", "answer": 1, "evidence": ["D2:1; D9:9"], "category": 1},
        {"question": "What did Ben regret?", "adversarial_answer": "nothing", "evidence": ["D2:1"], "category": 5},
    ],
}
LONGMEMEVAL: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "Where did I park the van?",
    "answer": "level 3",
    "question_date": "2023/06/01 (Thu) 10:00",
    "haystack_session_ids": ["s-late", "s-early"],
    "haystack_dates": ["2023/05/21 (Sun) 08:00", "2023/05/20 (Sat) 02:21"],
    "haystack_sessions": [
        [{"role": "user", "content": "Recommend a soup."}, {"role": "assistant", "content": "Try lentils."}],
        [
            {"role": "user", "content": "I parked the van on level 3.", "has_answer": True},
            {"role": "assistant", "content": "Noted.", "has_answer": False},
        ],
    ],
    "answer_session_ids": ["s-early"],
}
BEAM_CHAT: list[Any] = [
    {
        "batch_number": 1,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "The API takes 300 ms. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Add a cache."},
            ]
        ],
    },
    {"batch_number": 2, "turns": [[{"role": "user", "id": 2, "content": "The API takes 250 ms now. ->-> 2,1"}]]},
]
BEAM_QUESTIONS: dict[str, Any] = {
    "abstention": [{"question": "Who is my dentist?", "ideal_response": "Unknown"}],
    "knowledge_update": [
        {
            "question": "How long does the API take?",
            "answer": "250 ms",
            "source_chat_ids": {"original_info": [0], "updated_info": [2]},
        }
    ],
}
HALUMEM: dict[str, Any] = {
    "uuid": "u1",
    "persona_info": "Name: Mia Roth; Gender: female",
    "sessions": [
        {
            "dialogue": [
                {"role": "user", "content": "I live in Linz.", "timestamp": "Dec 15, 2025, 06:11:23"},
                {"role": "assistant", "content": "A fine city.", "timestamp": "Dec 15, 2025, 06:11:23"},
            ],
            "memory_points": [
                {"memory_content": "Mia Roth lives in Linz.", "memory_source": "primary", "is_update": "False"},
                {"memory_content": "Mia Roth owns a boat.", "memory_source": "interference", "is_update": "False"},
            ],
            "questions": [
                {
                    "question": "Where does Mia Roth live?",
                    "answer": "Linz",
                    "question_type": "Basic Fact Recall",
                    "evidence": [{"memory_content": "Mia Roth lives in Linz."}],
                }
            ],
        },
        {
            "dialogue": [{"role": "user", "content": "Let us do sums."}],
            "memory_points": [{"memory_content": "Noise.", "memory_source": "primary", "is_update": "False"}],
            "is_generated_qa_session": True,
        },
        {
            "dialogue": [{"role": "user", "content": "We moved.", "timestamp": "Jan 02, 2026, 06:11:23"}],
            "memory_points": [
                {
                    "memory_content": "Mia Roth no longer lives in Linz, she lives in Graz.",
                    "memory_source": "primary",
                    "is_update": "True",
                    "original_memories": ["Mia Roth lives in Linz."],
                }
            ],
        },
    ],
}
