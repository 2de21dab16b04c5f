import type { Dependencies, Resolved, ServiceRef } from '@mortise/plugin-sdk';
import { PluginError } from '../plugins/errors.js';
import type { ServiceDeclaration, Services } from './declarations.js';

/** Makes services when first needed, each after those that it depends on. */
export class Container {
  readonly #declared: ReadonlyMap<string, ServiceDeclaration>;
  readonly #made = new Map<string, unknown>();
  readonly #making: string[] = [];
  readonly #reserved = new Set<string>();

  constructor(declared: ReadonlyMap<string, ServiceDeclaration>) {
    this.#declared = declared;
  }

  /** A service that the kernel made itself. */
  provide<T>(ref: ServiceRef<T>, service: T): void {
    this.#made.set(ref.id, service);
  }

  /** The kernel is going to provide it. */
  reserve(id: string): void {
    this.#reserved.add(id);
  }

  has(ref: ServiceRef<unknown>): boolean {
    return this.#reserved.has(ref.id) || this.#made.has(ref.id) || this.#declared.has(ref.id);
  }

  get<T>(ref: ServiceRef<T>, forWhom = 'the program'): T {
    if (this.#made.has(ref.id)) return this.#made.get(ref.id) as T;
    const declared = this.#declared.get(ref.id);
    if (!declared) throw new Error(`${forWhom} needs the service ${ref.id}, which no loaded plugin provides`);
    if (this.#making.includes(ref.id)) {
      throw new Error(
        `the services ${[...this.#making.slice(this.#making.indexOf(ref.id)), ref.id].join(' → ')} need each other in a circle`,
      );
    }
    this.#making.push(ref.id);
    try {
      const service = declared.make(this.resolve(declared.dependencies, declared.owner));
      this.#made.set(ref.id, service);
      return service as T;
    } catch (error) {
      throw PluginError.of(declared.owner, `fails to make its service ${ref.id}`, error);
    } finally {
      this.#making.pop();
    }
  }

  resolve<D extends Dependencies>(dependencies: D, forWhom: string): Resolved<D> & Services {
    return Object.fromEntries(
      Object.entries(dependencies).map(([name, ref]) => [name, this.get(ref, `the plugin ${forWhom}`)]),
    ) as Resolved<D> & Services;
  }
}
