import type { VNode } from 'preact';
import type { Slot } from '@mortise/plugin-sdk';
import type { FilePageContext } from '@mortise/files/api';
import { ownerPaths } from '../services/owners-file.js';
import type { OwnersFileProblems } from '../services/code-owners.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const maxShown = 20;
const paths: readonly string[] = ownerPaths;

/** Above a file of code owners: lines that cannot be understood, and names that count for nothing. */
export const ownersFileNotice = ({ reviewServices }: Pick<PageDeps, 'reviewServices'>): Slot<FilePageContext> => ({
  key: 'reviews.owners',
  async render({ context, at, path, type }) {
    if (type !== 'file' || !paths.includes(path)) return null;
    const { repository } = context;
    const problems = await reviewServices.owners.check(repository, at.oid, path);
    if (!problems) return <p class="flash flash-warn mb-3">{t('obstacle.codeowners.unreadable')}</p>;
    // what an account may do is told to those who give the rights; an address must not tell whose it is
    const namesShown = (name: string) => (name.includes('@') ? context.may('admin') : context.may('write', 'code'));
    const ineligible = problems.ineligible.flatMap(({ line, names }) => {
      const shown = names.filter(namesShown);
      return shown.length ? [{ line, names: shown }] : [];
    });
    if (problems.faults.length + ineligible.length === 0) return null;
    return <OwnersFileErrors faults={problems.faults} ineligible={ineligible} />;
  },
});

function OwnersFileErrors({ faults, ineligible }: OwnersFileProblems): VNode {
  return (
    <div class="flash flash-warn mb-3">
      {faults.length ? (
        <>
          <p class="mb-1">{t('owners.file.lines')}</p>
          <ul class="pl-3 mb-2">
            {faults.slice(0, maxShown).map(({ line, pattern }) => (
              <li class="wb-break-word">
                {t('owners.file.line', { line })} <code>{pattern}</code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {ineligible.length ? (
        <>
          <p class="mb-1">{t('owners.file.ineligible')}</p>
          <ul class="pl-3 mb-0">
            {ineligible.slice(0, maxShown).map(({ line, names }) => (
              <li class="wb-break-word">
                {t('owners.file.line', { line })} {names.slice(0, maxShown).join(', ')}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
