import { FilmCatalogue } from './film-catalogue.js';
import { LiveCatalogue } from './live-catalogue.js';
import { fetchXml } from './manifest-xml.js';
import type { Catalogue } from './types.js';

/** Reads what `voxel-prepare` or `voxel-live` has put in a folder. */
export async function loadCatalogue(folder: string, isLive: boolean): Promise<Catalogue> {
  const manifestUrl = new URL('manifest.mpd', folder).href;
  const document = await fetchXml(manifestUrl);
  return isLive ? LiveCatalogue.read(document, manifestUrl) : FilmCatalogue.read(document, manifestUrl);
}
