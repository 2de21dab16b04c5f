import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, files, baseUrl, owner }: PackageView): VNode {
  const key = `/etc/apt/keyrings/mortise-${owner.name.toLowerCase()}.asc`;
  const places = files.map((file) => placeOf(file.compositeKey));
  const lines = places.map((at) => `deb [signed-by=${key}] ${baseUrl} ${at.distribution} ${at.component}`);
  const sources = [...new Set(lines)]
    .sort()
    .map((line) => `echo "${line}" | sudo tee -a /etc/apt/sources.list.d/mortise.list`);
  const architectures = [...new Set(files.map((file) => /_([^_]+)\.deb$/.exec(file.name)?.[1] ?? ''))].sort();
  return (
    <>
      <p>{t('install.key')}</p>
      <Code text={`sudo curl ${baseUrl}/repository.key -o ${key}`} />
      <p>{t('install.repository')}</p>
      <Code text={sources.join('\n')} />
      <p>{t('install.command')}</p>
      <Code text={`sudo apt update && sudo apt install ${package_.name}=${version.version}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface Kept {
  readonly description?: string;
  readonly homepage?: string;
  readonly maintainer?: string;
  readonly dependencies?: readonly string[];
}

function About({ version }: PackageView): VNode {
  const { description, homepage, maintainer, dependencies = [] } = version.metadata as Kept;
  return (
    <>
      {description ? <p class="ws-pre-wrap">{description}</p> : null}
      {homepage ? (
        <p>
          <a href={homepage} rel="nofollow noopener">
            {homepage}
          </a>
        </p>
      ) : null}
      {maintainer ? <p>{t('about.maintainer', { maintainer })}</p> : null}
      {dependencies.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {dependencies.map((one, at) => (
              <li key={at}>{one}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
