import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { StoredState } from '../services/states.js';
import { t } from '../texts/index.js';

const isState = ({ package: { name } }: PackageView) => !name.includes('/');

const backend = (url: string) => `terraform {
  backend "http" {
    address        = "${url}"
    lock_address   = "${url}/lock"
    unlock_address = "${url}/lock"
    lock_method    = "POST"
    unlock_method  = "DELETE"
    username       = "USER"
  }
}`;

const moduleUse = (source: string, name: string, version: string) => `module "${name}" {
  source  = "${source}"
  version = "${version}"
}`;

const providerUse = (source: string, name: string, version: string) => `terraform {
  required_providers {
    ${name} = {
      source  = "${source}"
      version = "${version}"
    }
  }
}`;

export function Instructions(view: PackageView): VNode {
  const { package: package_, version, owner, host, baseUrl } = view;
  const [kind, name = '', system = ''] = package_.name.split('/');
  if (isState(view))
    return (
      <>
        <p>{t('install.state')}</p>
        <CopyBlock text={backend(`${baseUrl}/state/${encodeURIComponent(package_.name)}`)} />
      </>
    );
  return kind === 'modules' ? (
    <>
      <p>{t('install.module')}</p>
      <CopyBlock text={moduleUse(`${host}/${owner.name}/${name}/${system}`, name, version.version)} />
    </>
  ) : (
    <>
      <p>{t('install.provider')}</p>
      <CopyBlock text={providerUse(`${host}/${owner.name}/${name}`, name, version.version)} />
    </>
  );
}

export function About(view: PackageView): VNode | null {
  const platforms = view.files.flatMap(({ compositeKey }) => (compositeKey ? [compositeKey] : []));
  if (!isState(view))
    return platforms.length > 0 ? <p>{t('about.platforms', { platforms: platforms.join(', ') })}</p> : null;
  const { lineage } = view.version.metadata as unknown as StoredState;
  return (
    <>
      <div class="flash mb-3">{t('about.state')}</div>
      <p>{t('about.lineage', { lineage })}</p>
    </>
  );
}
