import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl, owner }: PackageView): VNode {
  const repository = owner.name.toLowerCase();
  return (
    <>
      <p>{t('install.repository')}</p>
      <CopyBlock text={`helm repo add ${repository} ${baseUrl}\nhelm repo update`} />
      <p>{t('install.command')}</p>
      <CopyBlock
        text={`helm install my-${package_.lowerName} ${repository}/${package_.name} --version ${version.version}`}
      />
    </>
  );
}

interface Dependency {
  readonly name?: string;
  readonly version?: string;
  readonly repository?: string;
}
interface Chart {
  readonly description?: string;
  readonly home?: string;
  readonly appVersion?: string;
  readonly keywords?: readonly string[];
  readonly dependencies?: readonly Dependency[];
}

export function About({ version }: PackageView): VNode {
  const chart = (version.metadata.chart ?? {}) as Chart;
  const { description, home = '', appVersion, keywords = [], dependencies = [] } = chart;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Homepage address={home} />
      {appVersion ? <p>{t('about.appVersion', { version: appVersion })}</p> : null}
      {keywords.length > 0 ? <p>{t('about.keywords', { keywords: keywords.slice(0, 50).join(', ') })}</p> : null}
      <Dependencies
        title={t('about.dependencies')}
        of={dependencies.slice(0, 200).map((one) => [one.name, one.version, one.repository].filter(Boolean).join(' '))}
      />
    </>
  );
}

export const readme = ({ version }: PackageView) => {
  const text = version.metadata.readme;
  return typeof text === 'string' && text ? { fileName: 'README.md', text } : undefined;
};
