import { defineResource } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Package, PackageAccessMode, PackageVersion } from '../api.js';

/** What the API and pages act on, as far as the address names it. */
export interface PackageResource {
  readonly owner: Account;
  readonly mode: PackageAccessMode;
  readonly hasPart: boolean;
  readonly package?: Package;
  readonly version?: PackageVersion;
}

export const packageResource = defineResource<PackageResource>('packages.package');
export const protocolOwner = defineResource<Account>('packages.protocolOwner');
