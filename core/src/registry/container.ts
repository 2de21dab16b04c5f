import type { Dependencies, Resolved, ServiceRef } from '@mortise/plugin-sdk';
import { PluginError } from '../plugins/errors.js';
import type { OverrideDeclaration, ServiceDeclaration, Services } from './declarations.js';

/** Makes services when first needed, each after those that it depends on. */
export class Container {
  readonly #made = new Map<string, unknown>();
  readonly #making: string[] = [];
  readonly #reserved = new Set<string>();

  constructor(
    private readonly declared: ReadonlyMap<string, ServiceDeclaration>,
    private readonly overrides: ReadonlyMap<string, OverrideDeclaration>,
  ) {}

  /** A service that the kernel made itself. */
  provide<T>(ref: ServiceRef<T>, service: T): void {
    this.#made.set(ref.id, service);
  }

  /** The kernel is going to provide it. */
  reserve(id: string): void {
    this.#reserved.add(id);
  }

  has(ref: ServiceRef<unknown>): boolean {
    return this.#reserved.has(ref.id) || this.#made.has(ref.id) || this.declared.has(ref.id);
  }

  get<T>(ref: ServiceRef<T>, forWhom = 'the program'): T {
    if (this.#made.has(ref.id)) return this.#made.get(ref.id) as T;
    const declared = this.declared.get(ref.id);
    if (!declared) throw new Error(`${forWhom} needs the service ${ref.id}, which no loaded plugin provides`);
    if (this.#making.includes(ref.id)) {
      throw new Error(
        `the services ${[...this.#making.slice(this.#making.indexOf(ref.id)), ref.id].join(' → ')} need each other in a circle`,
      );
    }
    this.#making.push(ref.id);
    try {
      const service = this.#override(ref.id, this.#make(declared));
      this.#made.set(ref.id, service);
      return service as T;
    } finally {
      this.#making.pop();
    }
  }

  #make({ owner, ref, dependencies, make }: ServiceDeclaration): unknown {
    try {
      return make(this.resolve(dependencies, owner));
    } catch (error) {
      throw PluginError.of(owner, `fails to make its service ${ref.id}`, error);
    }
  }

  #override(id: string, service: unknown): unknown {
    const override = this.overrides.get(id);
    if (!override) return service;
    try {
      return override.make(service, this.resolve(override.dependencies, override.owner));
    } catch (error) {
      throw PluginError.of(override.owner, `fails to override the service ${id}`, error);
    }
  }

  resolve<D extends Dependencies>(dependencies: D, forWhom: string): Resolved<D> & Services {
    return Object.fromEntries(
      Object.entries(dependencies).map(([name, ref]) => [name, this.get(ref, `the plugin ${forWhom}`)]),
    ) as Resolved<D> & Services;
  }
}
