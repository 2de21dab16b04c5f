import { t } from '../texts/index.js';

/** One text of a form that was not taken. */
export interface KeptText {
  readonly name: string;
  readonly text: string;
}

const most = 256 * 1024;

/** What somebody wrote in a form and would miss: texts of several words, never secrets. */
export function textsOf(payload: unknown): readonly KeptText[] {
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).flatMap(([name, text]) =>
    typeof text === 'string' &&
    text.length >= 12 &&
    text.length <= most &&
    /\s/.test(text) &&
    !/^_|passw|retype|secret|token|authorization/i.test(name)
      ? [{ name, text }]
      : [],
  );
}

/** Shows them once more, so that they can be copied. */
export function Kept({ texts }: { texts: readonly KeptText[] }) {
  return (
    <section class="text-left mt-4">
      <h2 class="f4 mb-2">{t('kept.title')}</h2>
      <p class="color-fg-muted">{t('kept.text')}</p>
      {texts.map(({ name, text }) => (
        <label key={name} class="d-block mb-3">
          <span class="text-bold d-block mb-1">{name.replace(/_/g, ' ')}</span>
          <textarea class="form-control input-block input-monospace text-normal" rows={8} readOnly>
            {/* browsers drop the first line feed of a text area */}
            {`\n${text}`}
          </textarea>
        </label>
      ))}
    </section>
  );
}
