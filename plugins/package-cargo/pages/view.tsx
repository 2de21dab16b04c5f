import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { KeptManifest } from '../services/crates.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  const registry = owner.name.toLowerCase();
  const lines = [
    ...(owner.visibility === 'public' ? [] : ['[registry]', 'global-credential-providers = ["cargo:token"]', '']),
    '[registries]',
    `${/^[\w-]+$/.test(registry) ? registry : `"${registry}"`} = { index = "sparse+${baseUrl}/" }`,
  ];
  return (
    <>
      <p>{t.rich('install.configure', { code: (children) => <code>{children}</code> })}</p>
      <Code text={lines.join('\n')} />
      <p>{t('install.command')}</p>
      <Code text={`cargo add ${package_.name}@${version.version} --registry ${registry}`} />
    </>
  );
}

function About({ version }: PackageView): VNode {
  const { description, license, deps, yanked } = version.metadata as unknown as KeptManifest;
  const needed = deps.filter(({ kind }) => kind === 'normal');
  return (
    <>
      {yanked ? <div class="flash flash-warn mb-3">{t('about.yanked')}</div> : null}
      {description ? <p>{description}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      {needed.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {needed.map(({ name, version_req }) => (
              <li key={name}>
                {name} <span class="color-fg-muted">{version_req}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
export const readme = ({ version }: PackageView) => {
  const { readme: text, readme_file: fileName } = version.metadata as unknown as KeptManifest;
  return text?.trim() ? { fileName: fileName?.replace(/^.*\//, '') || 'README.md', text } : undefined;
};
