import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.proxy')}</p>
      <CopyBlock text={`export GOPROXY=${baseUrl},direct GONOSUMDB=${shellQuote(package_.name)}`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`go get ${shellQuote(`${package_.name}@${version.version}`)}`} />
    </>
  );
}

export function About({ version }: PackageView): VNode | null {
  const { goMod } = version.metadata;
  if (typeof goMod !== 'string') return null;
  return (
    <>
      <h3 class="h5">{t('about.module')}</h3>
      <pre>{goMod.slice(0, 10_000)}</pre>
    </>
  );
}
