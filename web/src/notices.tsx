/** The notices of writes, each with its undo. The page leaves room for them, so that they cover nothing. */

import { useEffect, useRef, useState } from "preact/hooks";

import { Action } from "./ui";
import { dismiss, followNotices, type Notice } from "./writes";

const NOTICE_MILLISECONDS = 30_000;

export function Notices() {
  const [notices, setNotices] = useState<Notice[]>([]);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => followNotices(setNotices), []);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const height = element.current?.offsetHeight ?? 0;
      document.documentElement.style.setProperty("--notices", `${height}px`);
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="notices" role="status" aria-live="polite" ref={element}>
      {notices.map((notice) => (
        <Row key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

/** A notice. It stays for a while, and as long as the pointer or the focus is on it. */
function Row({ notice }: { notice: Notice }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(notice.id), notice.failed ? NOTICE_MILLISECONDS * 2 : NOTICE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isHeld, notice]);
  return (
    <div
      class={notice.failed ? "notice failed" : "notice"}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <p>
        {notice.text}
        {notice.hint && <small>{notice.hint}</small>}
      </p>
      {notice.undo && (
        <Action
          kind="quiet"
          needs={notice.needs ?? "memory_revert"}
          onClick={() => notice.undo!().finally(() => dismiss(notice.id))}
        >
          Undo
        </Action>
      )}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
        ✕
      </button>
    </div>
  );
}
