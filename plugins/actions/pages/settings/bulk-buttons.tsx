import type { VNode } from 'preact';

/** Below a list with boxes to check: what is done with all that are checked, sent as `what`. */
export const BulkButtons = <What extends string>({
  acts,
  label,
}: {
  readonly acts: readonly What[];
  readonly label: (what: What) => string;
}): VNode => (
  <div class="d-flex flex-wrap gap-2 mb-3">
    {acts.map((what) => (
      <button
        key={what}
        class={`btn btn-sm${what === 'delete' ? ' btn-danger' : ''}`}
        type="submit"
        name="what"
        value={what}
      >
        {label(what)}
      </button>
    ))}
  </div>
);
