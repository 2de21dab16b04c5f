import type { TextForm } from '../contract/pages.js';
import { renderAnswers } from '../services/form-answers.js';
import { readForm } from '../services/issue-template.js';
import { fieldTexts, FormFields } from './form-fields.js';
import { answersOf } from './new-issue.js';
import type { PageDeps } from './page-context.js';

/** A form that a file asks for, also for other texts than those of issues: its name and what it is for may be left out. */
export function textFormOf({ markup }: Pick<PageDeps, 'markup'>, yaml: string, fileName: string): TextForm | undefined {
  const template = readForm(yaml, fileName, { name: fileName, about: fileName });
  const fields = template?.body;
  if (!template || !fields) return undefined;
  return {
    title: template.title,
    async render({ repository, viewer }, sent) {
      const texts = await fieldTexts(markup, fields, { kind: 'comment', repository, viewer });
      return <FormFields {...{ fields, texts, fileName, repository }} {...(sent && { sent: answersOf(sent) })} />;
    },
    body: (sent) => renderAnswers(fields, answersOf(sent)),
  };
}
