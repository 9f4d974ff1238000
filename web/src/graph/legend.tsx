/** The colours of a picture, each with its word. */

const SHOWN = 12;

export function Legend({ legend }: { legend: Map<string, string> }) {
  return (
    <ul class="legend" aria-label="Colours">
      {[...legend].slice(0, SHOWN).map(([word, color]) => (
        <li key={word}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" fill={color} />
          </svg>
          {word}
        </li>
      ))}
    </ul>
  );
}
