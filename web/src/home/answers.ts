/** Questions that the person has answered on this page. Each row stays in its place, with its answer in words. */

import { useEffect, useState } from "preact/hooks";

import type { Arguments } from "../api";
import { tryWrite, type Write } from "../writes";

interface Answered<T> {
  key: string;
  row: T;
  group: string;
  index: number;
  answer: string;
  /** Whether the server no longer asks it. */
  isSettled: boolean;
}

export interface Question<T> {
  key: string;
  row: T;
  /** The answer in words. Undefined while the question is open. */
  answer: string | undefined;
  /** Writes the answer. If that fails, the question stays open. */
  write: Write;
}

/** Return a function that adds the answered rows to the open rows of a group. `open` has the open rows of all groups. */
export function useAnswers<T>(open: T[] | undefined, keyOf: (row: T) => string) {
  const [answered, setAnswered] = useState<Answered<T>[]>([]);
  useEffect(() => {
    const keys = new Set(open?.map(keyOf));
    // A question that is asked again after it was settled, such as after an undo elsewhere, is open again.
    if (open)
      setAnswered((known) =>
        known
          .filter(({ isSettled, key }) => !isSettled || !keys.has(key))
          .map((question) => ({ ...question, isSettled: !keys.has(question.key) })),
      );
  }, [open]);
  const reopen = (key: string) => setAnswered((known) => known.filter((question) => question.key !== key));

  return (openRows: T[], group = ""): Question<T>[] => {
    const known = new Map(answered.filter((question) => question.group === group).map((item) => [item.key, item]));
    const rows = openRows.filter((row) => !known.has(keyOf(row)));
    for (const { row, index } of [...known.values()].sort((a, b) => a.index - b.index)) rows.splice(index, 0, row);
    return rows.map((row, index) => {
      const key = keyOf(row);
      const write: Write = async <R>(done: string, operation: string, args: Arguments) => {
        const result = await tryWrite<R>(done, operation, args, async () => reopen(key));
        if (result) setAnswered((all) => [...all, { key, row, group, index, answer: done, isSettled: false }]);
        return result;
      };
      return { key, row, answer: known.get(key)?.answer, write };
    });
  };
}
