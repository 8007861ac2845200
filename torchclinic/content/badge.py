"""A badge for pages elsewhere: how many symptoms ran. The built site has it as badge.svg."""

from __future__ import annotations

from .catalogue import Catalogue


def badge(catalogue: Catalogue) -> str:
    """An SVG: how many symptoms, as they are now, ran on the CPU."""
    best = next((record for record in catalogue.evidence if record.device == "cpu"), None)
    ran = (
        sum(
            best.status(symptom.snippet) in ("passed", "partly")
            for symptom in catalogue.symptoms.values()
        )
        if best
        else 0
    )
    left, right = (
        "breaks and fixes executed",
        f"{ran} of {len(catalogue.symptoms)} symptoms, torch {best.torch if best else '?'}, CPU",
    )
    widths = [round(6.6 * len(text)) + 16 for text in (left, right)]
    width = sum(widths)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" '
        f'role="img" aria-label="{left}: {right}"><title>{left}: {right}</title>'
        f'<clipPath id="r"><rect width="{width}" height="20" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{widths[0]}" height="20" fill="#123c45"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="#16713f"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        'text-anchor="middle">'
        f'<text x="{widths[0] / 2:g}" y="14" textLength="{widths[0] - 12}">{left}</text>'
        f'<text x="{widths[0] + widths[1] / 2:g}" y="14" '
        f'textLength="{widths[1] - 12}">{right}</text></g></svg>\n'
    )
