"""The words of the page that not everybody knows, each in a sentence."""

from __future__ import annotations

GLOSSARY = {
    "label": "The class of a row, as a person or a machine gave it.",
    "filled-in label": "The label that a row without one got from the model.",
    "probability": "How sure the model is of a label, by its own account. How often it is right"
    " is measured, not claimed.",
    "audited row": "A row whose label was kept from the model and compared with what it says.",
    "confidence": "How often such a statement is true, if rows like these were drawn again and"
    " again.",
    "interval": "The values that fit what was seen, at the stated confidence.",
    "left-out error": "The share of labeled rows that get another label when their own is hidden:"
    " each label is left out in turn, and found from the others (leave-one-out).",
    "standard error": "How far a measured error usually is from the true one, because only so many"
    " rows were tried.",
    "component": "A new column, made of the others so that rows of one class come to lie together.",
    "kernel map": "Components that follow curved borders between classes; they compare each row"
    " with all others.",
    "logistic regression": "The most common way to learn classes from labeled rows alone, here to"
    " compare with.",
    "candidate": "One of the ways to find labels that were tried.",
}
"""Word → what it means; the templates name them by the macro ``term``."""
