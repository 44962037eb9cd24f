"""Streamlit: the ways of an applicant on a page of yours. `streamlit run streamlit_app.py`."""

import streamlit as st

import facelift as fl
from facelift.models import small_classifier


@st.cache_resource
def fitted() -> fl.FACElift:
    """The explainer, made once for all visitors."""
    credit = fl.datasets.load_german_credit()
    model = small_classifier(credit.data, credit.target)
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))
    return fl.FACElift(model, terrain, steps="actions").fit(credit.data)


people = fl.datasets.load_german_credit().data
row = int(st.number_input("Applicant", 0, len(people) - 1, 4))
ways = fitted().explain(people.iloc[row], target="good")
if ways:
    st.write(f"{len(ways)} ways to “good”; recommended:")
    st.dataframe(fl.recommend(ways).to_frame())
    st.html(ways._repr_html_())
else:
    st.write(str(ways.why_not))
