import type { VNode } from 'preact';
import { Csrf, formText, RadioFields, TextField, type FieldOption, type FormValues } from '@mortise/plugin-sdk';
import { cardTypes, projectTemplates, type Project } from '../contract/projects.js';
import { maxDescription, maxTitle } from '../services/project-service.js';
import { t } from '../texts/index.js';

interface FormProps {
  readonly action: string;
  readonly back: string;
  /** Of a new one: none. */
  readonly project?: Project;
  readonly sent?: FormValues;
  /** Titles of the columns of each template. */
  readonly templates: Readonly<Record<(typeof projectTemplates)[number], readonly string[]>>;
}

/** A new board, or what is said of one. */
export function ProjectForm({ action, back, project, sent, templates }: FormProps): VNode {
  const value = (name: string, otherwise: string) => (sent ? formText(sent, name, maxDescription) : otherwise);
  return (
    <form method="post" action={action}>
      <h2 class="f3 mb-3">{project ? t('form.editTitle') : t('form.new')}</h2>
      <Csrf />
      <TextField
        name="title"
        label={t('form.title')}
        required
        maxLength={maxTitle}
        autofocus
        value={value('title', project?.title ?? '')}
      />
      <TextField
        name="description"
        label={t('form.description')}
        note={t('form.descriptionNote')}
        lines={6}
        maxLength={maxDescription}
        value={value('description', project?.description ?? '')}
      />
      {project ? null : (
        <RadioFields
          name="template"
          label={t('form.template')}
          value={value('template', 'basic_kanban')}
          options={projectTemplates.map((template): FieldOption => [
            template,
            t(`template.${template}`),
            templates[template].join(' · '),
          ])}
        />
      )}
      <RadioFields
        name="card_type"
        label={t('form.cardType')}
        value={value('card_type', project?.cardType ?? 'text_only')}
        options={cardTypes.map((type): FieldOption => [type, t(`cardType.${type}`)])}
      />
      <div class="d-flex gap-2 mt-3">
        <button class="btn btn-primary" type="submit">
          {project ? t('form.save') : t('form.create')}
        </button>
        <a class="btn" href={back}>
          {t('form.cancel')}
        </a>
      </div>
    </form>
  );
}
