import type { Site } from '@mortise/plugin-sdk';
import type { Captcha } from '@mortise/sessions/api';
import { PictureQuestion } from '../pages/question.js';
import { answerField, idField, type Questions } from './questions.js';

const picturePath = '/captcha';

/** Kind `image`: digits in a picture that is drawn here. */
export const imageCaptcha = ({ questions, site }: { readonly questions: Questions; readonly site: Site }): Captcha => ({
  key: 'image',
  fields: [answerField, idField],
  render(form) {
    const token = questions.make();
    return <PictureQuestion form={form} token={token} src={site.path(`${picturePath}/${token}`)} />;
  },
  check: (values) => questions.answer(values[idField] ?? '', values[answerField] ?? ''),
});
