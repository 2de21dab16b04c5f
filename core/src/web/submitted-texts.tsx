import { t } from '../texts/index.js';

/** One text of a form that was refused. */
export interface SubmittedText {
  readonly name: string;
  readonly text: string;
}

const maxLength = 256 * 1024;

/** The texts of a refused form that its author would miss: several words, never secrets. */
export function submittedTexts(payload: unknown): readonly SubmittedText[] {
  if (typeof payload !== 'object' || payload === null) return [];
  return Object.entries(payload).flatMap(([name, text]) =>
    typeof text === 'string' &&
    text.length >= 12 &&
    text.length <= maxLength &&
    /\s/.test(text) &&
    !/^_|passw|retype|secret|token|authorization/i.test(name)
      ? [{ name, text }]
      : [],
  );
}

/** Shows them once more, so that they can be copied. */
export function SubmittedTexts({ texts }: { texts: readonly SubmittedText[] }) {
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
