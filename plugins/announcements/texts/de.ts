import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'event.group': 'Repository',
  'event.push': 'Push',
  'event.pushNote': 'Commits oder ein Tag wurden gepusht.',
  'event.create': 'Erstellen',
  'event.createNote': 'Ein Branch oder Tag wurde erstellt.',
  'event.delete': 'Löschen',
  'event.deleteNote': 'Ein Branch oder Tag wurde gelöscht.',
  'event.fork': 'Fork',
  'event.forkNote': 'Ein Fork des Repositorys wurde erstellt.',
  'event.repository': 'Repository',
  'event.repositoryNote': 'Ein Repository wurde erstellt oder gelöscht.',

  'line.push': '{actor} hat {count, plural, one {# Commit} other {# Commits}} auf {name} in {repository} gepusht',
  'line.pushTag': '{actor} hat das Tag {name} in {repository} gepusht',
  'line.createBranch': '{actor} hat den Branch {name} in {repository} erstellt',
  'line.createTag': '{actor} hat das Tag {name} in {repository} erstellt',
  'line.deleteBranch': '{actor} hat den Branch {name} in {repository} gelöscht',
  'line.deleteTag': '{actor} hat das Tag {name} in {repository} gelöscht',
  'line.fork': '{actor} hat {repository} nach {fork} geforkt',
  'line.repositoryCreated': '{actor} hat das Repository {repository} erstellt',
  'line.repositoryDeleted': '{actor} hat das Repository {repository} gelöscht',
  'line.repositoryRenamed': '{actor} hat das Repository {from} in {repository} umbenannt',
  'line.repositoryTransferred': '{actor} hat das Repository {from} an {repository} übertragen',
};
