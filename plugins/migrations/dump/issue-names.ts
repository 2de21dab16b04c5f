/** What issues name, in the order of its document: where several have one name a number says which it is. */
class NumberedNames<T> {
  #count = 0;
  readonly #byName = new Map<string, { readonly value: T; isRepeated: boolean }>();
  readonly #byId = new Map<string, { readonly value: T; readonly number: number }>();

  add(name: string, id: string | undefined, value: T): void {
    const number = ++this.#count;
    const first = this.#byName.get(name);
    if (first) first.isRepeated = true;
    else this.#byName.set(name, { value, isRepeated: false });
    if (id) this.#byId.set(id, { value, number });
  }

  /** `number`: from 1; undefined where the name says which it is, or nothing does. */
  find(name: string, id: string | undefined): { readonly value: T | undefined; readonly number: number | undefined } {
    const [byName, byId] = [this.#byName.get(name), id ? this.#byId.get(id) : undefined];
    return { value: (byId ?? byName)?.value, number: byName?.isRepeated ? byId?.number : undefined };
  }
}

/** What issues and pull requests of one dump name. */
export class IssueNames<L> {
  readonly labels = new NumberedNames<L>();
  readonly milestones = new NumberedNames<undefined>();
}
