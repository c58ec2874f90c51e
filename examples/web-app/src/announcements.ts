import { post } from "./http";

interface Announcement {
  id: number;
}

/** Shows an announcement to everyone who works outside of these cities. */
export async function createAnnouncement(title: string, cities: string[]): Promise<number> {
  const created = await post<Announcement>("createannouncement", {
    title,
    startTime: "2026-11-20T09:00:00Z",
    endTime: "2026-11-27T09:00:00Z",
    audienceFilters: [
      {
        fieldName: "city",
        values: cities.map((value) => ({ value, isNegated: true })),
      },
    ],
  });
  return created.id;
}
