/** The answer that a person has given to a question. */

import { useEffect, useRef } from "preact/hooks";

/** The answer, with the focus: the button that gave it is no longer there. */
export function Answered({ text }: { text: string }) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus({ preventScroll: true }), []);
  return (
    <p class="answer" tabIndex={-1} ref={element}>
      {text}
    </p>
  );
}
