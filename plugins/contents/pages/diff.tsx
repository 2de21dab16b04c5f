import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import type { Markup } from '@mortise/markup/api';
import { at, type View } from './parts.js';

const mostLines = 2000;
const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

/** A unified diff cut into its files, in git's order. */
export function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
}

/** The rows of one file's hunks, as HTML of table rows. */
function rows(part: string): { html: string; cut: boolean } {
  const out: string[] = [];
  let left = 0;
  let right = 0;
  let inside = false;
  const lines = part.split('\n');
  for (const line of lines) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk) {
      [left, right] = [Number(hunk[1]), Number(hunk[2])];
      inside = true;
      out.push(`<tr class="diff-hunk"><td colspan="2"></td><td class="blob-code">${escapeHtml(line)}</td></tr>`);
    } else if (inside && /^[ +-]/.test(line)) {
      const sign = line[0];
      const kind = sign === '+' ? 'diff-add' : sign === '-' ? 'diff-remove' : '';
      out.push(
        `<tr class="${kind}"><td class="blob-num">${sign === '+' ? '' : left++}</td><td class="blob-num">${sign === '-' ? '' : right++}</td><td class="blob-code"><span aria-hidden="true">${sign}</span>${escapeHtml(line.slice(1))}</td></tr>`,
      );
    }
    if (out.length >= mostLines) return { html: out.join(''), cut: true };
  }
  return { html: out.join(''), cut: false };
}

/** All files of a difference. */
export function Diff({
  changes,
  patch,
  view,
}: {
  changes: readonly FileChange[];
  patch: string | undefined;
  view: View;
  markup: Markup;
}): VNode {
  const parts = patch === undefined ? [] : splitPatch(patch);
  const additions = changes.reduce((sum, change) => sum + change.additions, 0);
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0);
  const shown = changes.slice(0, 100);
  return (
    <div>
      <p>
        <strong>{changes.length}</strong> {changes.length === 1 ? 'file' : 'files'} changed,{' '}
        <span class="color-fg-success text-bold">+{additions}</span>{' '}
        <span class="color-fg-danger text-bold">−{deletions}</span>
      </p>
      {patch === undefined ? (
        <p class="flash flash-warn">The difference is too large to be shown; download it as .diff.</p>
      ) : null}
      {shown.map((change, index) => {
        const part = parts[index];
        const { html, cut } = part ? rows(part) : { html: '', cut: false };
        return (
          <details class="Box mb-3" open={index < 30}>
            <summary class="Box-header d-flex flex-items-center" style="gap: 8px">
              <span class="text-mono f6 flex-auto wb-break-word">
                {change.oldPath && change.oldPath !== change.path ? `${change.oldPath} → ` : ''}
                {change.path}
              </span>
              <span class="f6 no-wrap">
                <span class="color-fg-success">+{change.additions}</span>{' '}
                <span class="color-fg-danger">−{change.deletions}</span>
              </span>
              <span class="Label">{change.status}</span>
            </summary>
            {change.binary ? (
              <p class="p-3 mb-0 color-fg-muted">{icon('file-binary')} Not text.</p>
            ) : html ? (
              <div style="overflow-x: auto">
                <table class="code-lines text-mono f6">
                  <tbody dangerouslySetInnerHTML={{ __html: html }} />
                </table>
              </div>
            ) : (
              <p class="p-3 mb-0 color-fg-muted">No lines changed.</p>
            )}
            {cut ? (
              <p class="p-3 mb-0">
                The rest is not shown. <a href={at(view, 'src', change.path)}>The whole file</a>
              </p>
            ) : null}
          </details>
        );
      })}
      {changes.length > shown.length ? (
        <p class="color-fg-muted">{changes.length - shown.length} more files are not shown.</p>
      ) : null}
    </div>
  );
}
