import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Homepage, type PackageView } from '@mortise/packages/api';
import type { RecipeDescription } from '../services/descriptions.js';
import { placeOf, textOf } from '../services/references.js';
import { t } from '../texts/index.js';

/** References of a version, each with how many revisions its recipe has. */
function referencesOf({ package: package_, version, files }: PackageView): ReadonlyMap<string, ReadonlySet<string>> {
  const references = new Map<string, Set<string>>();
  for (const { compositeKey } of files) {
    const place = placeOf(compositeKey);
    if (!place) continue;
    const text = textOf(package_.name, version.version, place);
    references.set(text, (references.get(text) ?? new Set()).add(place.recipeRevision));
  }
  return references;
}

export function Instructions(view: PackageView): VNode {
  const { package: package_, version, owner, baseUrl } = view;
  const [reference = `${package_.name}/${version.version}`] = referencesOf(view).keys();
  return (
    <>
      <p>{t('install.configure')}</p>
      <CopyBlock text={`conan remote add ${owner.name} ${baseUrl}`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`conan install --remote=${owner.name} --requires="${reference}"`} />
      <p>{t('install.upload')}</p>
      <CopyBlock text={`conan upload --remote=${owner.name} "${reference}"`} />
    </>
  );
}

export function About(view: PackageView): VNode {
  const { description, license, author, url, homepage } = view.version.metadata as RecipeDescription;
  const address = homepage ?? url ?? '';
  return (
    <>
      {description ? <p>{description}</p> : null}
      {author ? <p>{t('about.author', { author })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Homepage address={address} />
      <section class="mb-3">
        <h3 class="h5">{t('about.references')}</h3>
        <ul class="ml-3">
          {[...referencesOf(view)].map(([text, revisions]) => (
            <li key={text}>
              {text} <span class="color-fg-muted">{t('about.revisions', { count: revisions.size })}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
