import { definePoint, defineService, type Actor, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

/** What an actor may do with an owner's packages. */
export type PackageAccessMode = 'none' | 'read' | 'write' | 'owner';
export interface PackageAccess {
  mode(actor: Actor, owner: Account): Promise<PackageAccessMode>;
  /** What the actor must do before any package is open to it, as repositories say it; undefined: nothing. */
  unmetRequirement(actor: Actor): Promise<Text | undefined>;
  /** Could the actor read were the owner private? Never with a public-only token. */
  hasPart(actor: Actor, owner: Account): Promise<boolean>;
}
export const packageAccess = defineService<PackageAccess>('packages.access');

/** Extension point: raises an actor's mode on owners of other kinds (members and teams of organizations). */
export interface PackageAccessSource extends Keyed {
  mode(actor: Actor, owner: Account): Promise<PackageAccessMode | undefined>;
}
export const packageAccessSources = definePoint.keyed<PackageAccessSource>('packages.accessSources');

/** Extension point: how owners of other kinds are shown to receivers of events; undefined: none of this plugin's. */
export interface PackageOwnerModel {
  /** Model `Organization` of the account. */
  organization(ownerId: number): Promise<object | undefined>;
}
export const packageOwnerModel = definePoint.one<PackageOwnerModel>('packages.ownerModel');
