/** The contract of `admin`: what other plugins add to the administration pages. */
import { definePoint, type NavigationItem } from '@mortise/plugin-sdk';

/** Entries of the menu on the administration pages (`/-/admin`); the pages belong to who contributes. */
export const adminMenu = definePoint.keyed<NavigationItem>('admin.menu');
