import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const places = files.map((file) => placeOf(file.compositeKey));
  const repositories = [...new Set(places.map(({ branch, repository }) => `${baseUrl}/${branch}/${repository}`))];
  const architectures = [...new Set(places.map(({ architecture }) => architecture))].sort();
  return (
    <>
      <p>{t('install.repository')}</p>
      <Code text={repositories.join('\n')} />
      <p>{t('install.key')}</p>
      <Code text={`cd /etc/apk/keys && curl -JO ${baseUrl}/key`} />
      <p>{t('install.command')}</p>
      <Code text={`apk add ${package_.name}=${version.version}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface Kept {
  readonly description?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly dependencies?: readonly string[];
}

function About({ version }: PackageView): VNode {
  const { description, homepage, license, dependencies = [] } = version.metadata as Kept;
  return (
    <>
      {description ? <p>{description}</p> : null}
      {homepage ? (
        <p>
          <a href={homepage} rel="nofollow noopener">
            {homepage}
          </a>
        </p>
      ) : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      {dependencies.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {dependencies.slice(0, 200).map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
