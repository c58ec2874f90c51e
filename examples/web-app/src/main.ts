import { createAnnouncement } from "./announcements";

const button = document.querySelector<HTMLButtonElement>("#publish")!;
const status = document.querySelector<HTMLOutputElement>("#status")!;

button.addEventListener("click", async () => {
  status.value = "Publishing";
  const id = await createAnnouncement("The office moves", ["Berlin", "Lisbon"]);
  status.value = `Published ${id}`;
});
