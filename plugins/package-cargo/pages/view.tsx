import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, type PackageView } from '@mortise/packages/api';
import type { StoredManifest } from '../services/crates.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  const registry = owner.name.toLowerCase();
  const lines = [
    ...(owner.visibility === 'public' ? [] : ['[registry]', 'global-credential-providers = ["cargo:token"]', '']),
    '[registries]',
    `${/^[\w-]+$/.test(registry) ? registry : `"${registry}"`} = { index = "sparse+${baseUrl}/" }`,
  ];
  return (
    <>
      <p>{t.rich('install.configure', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={lines.join('\n')} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`cargo add ${package_.name}@${version.version} --registry ${registry}`} />
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { description, license, deps, yanked } = version.metadata as unknown as StoredManifest;
  const needed = deps.filter(({ kind }) => kind === 'normal');
  return (
    <>
      {yanked ? <div class="flash flash-warn mb-3">{t('about.yanked')}</div> : null}
      {description ? <p>{description}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Dependencies
        title={t('about.dependencies')}
        of={needed.map(({ name, version_req: range }) => ({ name, range }))}
      />
    </>
  );
}

export const readme = ({ version }: PackageView) => {
  const { readme: text, readme_file: fileName } = version.metadata as unknown as StoredManifest;
  return text?.trim() ? { fileName: fileName?.replace(/^.*\//, '') || 'README.md', text } : undefined;
};
