import { TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { height, width } from '../services/drawing.js';
import { answerField, digitCount, idField } from '../services/questions.js';
import { t } from '../texts/index.js';

/** The picture, and what it shows. */
export const PictureQuestion = ({ form, token, src }: { form: string; token: string; src: string }): VNode => (
  <div class="mb-3">
    <img
      class="d-block border rounded-2 mb-2 captcha-picture"
      src={src}
      width={width}
      height={height}
      alt={t('image.alt', { count: digitCount })}
    />
    <input type="hidden" name={idField} value={token} />
    <TextField
      name={answerField}
      id={`field-captcha-${form}`}
      required
      label={t('image.label')}
      note={t('image.note')}
      autocomplete="off"
      maxLength={20}
    />
  </div>
);

interface WidgetProps {
  readonly class: string;
  readonly siteKey: string;
  readonly script: string;
}

/** What the script of a service fills. */
export const Widget = ({ class: name, siteKey, script }: WidgetProps): VNode => (
  <div class="mb-3">
    <script src={script} async defer />
    <div class={name} data-sitekey={siteKey} data-theme="auto" />
    <noscript>
      <p class="flash flash-warn">{t('widget.needsScripts')}</p>
    </noscript>
  </div>
);
