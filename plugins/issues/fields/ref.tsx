import type { VNode } from 'preact';
import { Joi } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { IssueField, SentenceProps } from './field.js';
import { textOf, who } from './sentences.js';

/** Without the beginning that branches have. */
const shortRef = (ref: string) => ref.replace(/^refs\/heads\//, '');

const schemas = { ref: Joi.string().allow('', null).max(255) };

const Sentence = (props: SentenceProps): VNode => {
  const newRef = textOf(props.entry.data.newRef);
  if (!props.view.context.may('read', 'code')) return <>{t.rich('line.hiddenRef', who(props))}</>;
  return (
    <>{newRef ? t.rich('line.ref', { ...who(props), ref: <code>{newRef}</code> }) : t.rich('line.noRef', who(props))}</>
  );
};

/** The branch or tag that an issue is about: a full reference. */
export const ref: IssueField<'ref', 'ref', 'ref', string, string> = {
  name: 'ref',
  column: 'ref',
  empty: '',
  record: { name: 'ref', schema: Joi.string().allow('').required(), of: (value) => value },
  options: {
    create: schemas,
    edit: schemas,
    isForAuthors: true,
    read: (body) => (typeof body.ref === 'string' ? body.ref : undefined),
  },
  timeline: {
    kinds: ['change_issue_ref'],
    icon: 'git-branch',
    isAboutCode: true,
    entry: (before, after) => ({
      kind: 'change_issue_ref',
      data: { oldRef: shortRef(before), newRef: shortRef(after) },
    }),
    record: ({ data }) => ({ old_ref: textOf(data.oldRef), new_ref: textOf(data.newRef) }),
    Sentence,
  },
};
