import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

/** pacman writes the name of the section into the address, so a repository of several segments ends with it. */
function section(repository: string, baseUrl: string, owner: string): string {
  const parts = repository.split('/').filter(Boolean);
  const last = parts.pop();
  const root = [baseUrl, ...parts].join('/');
  const server = last ? `${root}/$repo/$arch` : `${baseUrl}/$arch`;
  return [`[${last ?? owner}]`, 'SigLevel = Required', `Server = ${server}`].join('\n');
}

export function Instructions({ package: package_, files, baseUrl, owner }: PackageView): VNode {
  const places = files.map((file) => placeOf(file.compositeKey));
  const repositories = [...new Set(places.map(({ repository }) => repository))].sort();
  const architectures = [...new Set(places.map(({ architecture }) => architecture))].sort();
  return (
    <>
      <p>{t('install.key')}</p>
      <CopyBlock
        text={[
          `curl ${baseUrl}/repository.key -o repository.key`,
          'sudo pacman-key --add repository.key',
          'sudo pacman-key --lsign-key "$(gpg --show-keys --with-colons repository.key | awk -F: \'/^fpr/{print $10; exit}\')"',
        ].join('\n')}
      />
      <p>{t('install.repository')}</p>
      <CopyBlock text={repositories.map((one) => section(one, baseUrl, owner.name.toLowerCase())).join('\n\n')} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`sudo pacman -Sy ${package_.name}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface StoredMetadata {
  readonly description?: string;
  readonly homepage?: string;
  readonly packager?: string;
  readonly licenses?: readonly string[];
  readonly dependencies?: readonly string[];
}

export function About({ version }: PackageView): VNode {
  const { description, homepage, packager, licenses = [], dependencies = [] } = version.metadata as StoredMetadata;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Homepage address={homepage} />
      {packager ? <p>{t('about.packager', { packager })}</p> : null}
      {licenses.length > 0 ? <p>{t('about.license', { license: licenses.join(', ') })}</p> : null}
      <Dependencies title={t('about.dependencies')} of={dependencies} />
    </>
  );
}
