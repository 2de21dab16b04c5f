import type { VNode } from 'preact';
import { t } from '../../texts/index.js';

/** Below a list with boxes to check: what is done with all that are checked, sent as `what`; deleting is asked for once more. */
export const BulkButtons = <What extends string>({
  acts,
  label,
}: {
  readonly acts: readonly What[];
  readonly label: (what: What) => string;
}): VNode => (
  <div class="d-flex flex-wrap gap-2 mb-3">
    {acts.map((what) =>
      what === 'delete' ? (
        <details key={what} class="confirm confirm-start">
          <summary class="btn btn-sm btn-danger">{label(what)}</summary>
          <div class="confirm-body">
            <p>{t('bulk.deleteConfirm')}</p>
            <button class="btn btn-sm btn-danger" type="submit" name="what" value={what}>
              {label(what)}
            </button>
          </div>
        </details>
      ) : (
        <button key={what} class="btn btn-sm" type="submit" name="what" value={what}>
          {label(what)}
        </button>
      ),
    )}
  </div>
);
